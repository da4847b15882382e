import type { BatchRecord, BatchRecorded } from '#protocol/hosted/file-batches.ts';
import type { BatchBlueprint, Blueprint } from '#protocol/schema.ts';
import { checkAnswerCount } from './batch-calls.ts';
import type { HostedClient } from './calls.ts';
import { ServiceError } from './errors.ts';

/**
 * Small files that are sent before the service knows of them, and created and finalized by one call (contract/files-and-blueprints.md
 * §7): two round trips a batch in place of three, and one statement in place of two.
 */

interface InPackage<Names extends 'createBatchBlueprints' | 'recordFiles'> {
  /** With the package's credential. */
  readonly api: HostedClient<Names>;
  readonly packageId: string;
  readonly signal: AbortSignal;
}

/** The blueprints of a package's next batches. */
export interface BatchBlueprints {
  /** One that nobody else gets; `null` where files have to be created first. Failures are `ServiceError`s. */
  take(): Promise<BatchBlueprint | null>;
}

/** Asked for at once: it spares a far line a round trip a batch. */
const askedAtOnce = 8;
/** Milliseconds. They stand for a day; a machine may have slept. */
const usedFor = 3_600_000;

export function createBatchBlueprints(
  { api, packageId, signal }: InPackage<'createBatchBlueprints'>,
  now: () => number = () => performance.now(),
): BatchBlueprints {
  let ready: BatchBlueprint[] = [];
  let askedAt = 0;
  let none = false;
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    try {
      const began = now();
      const { batches } = await api.call('createBatchBlueprints', {
        params: { package_id: packageId },
        body: { count: askedAtOnce },
        signal,
      });
      none = batches.length === 0;
      ready = [...batches];
      askedAt = began;
    } catch (error) {
      // Another node of the service, of an earlier version.
      if (!(error instanceof ServiceError) || error.error !== 'no_such_endpoint') throw error;
      none = true;
    }
  }

  return {
    async take() {
      for (;;) {
        if (none) return null;
        if (now() - askedAt > usedFor) ready = [];
        const next = ready.pop();
        if (next) return next;
        asking ??= ask().finally(() => {
          asking = null;
        });
        await asking;
      }
    },
  };
}

/** Creates and finalizes files, each with its own result, in the order of the request. May be asked again. */
export async function recordBatch(
  { api, packageId, signal }: InPackage<'recordFiles'>,
  files: readonly BatchRecord[],
): Promise<readonly BatchRecorded[]> {
  const answer = await api.call('recordFiles', { params: { package_id: packageId }, body: { files: [...files] }, signal });
  return checkAnswerCount(files, answer.files);
}

const idLength = 32;
/** Hex digits that count the files of a batch. */
const countLength = 4;

/**
 * Upload ids for the files of a batch, none of which was used before.
 *
 * @param random as many hex digits as an id has
 */
export function uploadIdsIn({ upload_prefix: prefix }: BatchBlueprint, count: number, random: string): readonly string[] {
  const shared = prefix + random.slice(0, idLength - countLength - prefix.length);
  return Array.from({ length: count }, (_, index) => shared + index.toString(16).padStart(countLength, '0'));
}

/** The blueprint of one file of a batch. */
export const blueprintIn = ({ url, method, headers, body }: BatchBlueprint, uploadId: string): Blueprint => ({
  url: url.replace('{upload_id}', uploadId),
  method,
  headers,
  body,
});
