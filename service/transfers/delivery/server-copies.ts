import { ProviderError, type ProviderErrorCode } from '#providers/errors.ts';
import { choosePartSize } from '#providers/parts.ts';
import type { CopySource } from '#providers/ports.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import type { DeliveryFile, DeliveryRequest } from './ports.ts';

/** A file of the package, with what makes it possible to copy it. */
export type CopiedFile = Pick<DeliveryFile, 'key' | 'size' | 'chunkSize' | 'etag'>;

export interface CopyPlan {
  readonly source: CopySource;
  /** Bytes: the object's own parts, so that their digests can be compared. */
  readonly partSize: number;
}

/** The provider's server copies nothing for this transfer. What was begun so is gone on with by bytes. */
export class CopyRefusedError extends Error {
  override readonly name = 'CopyRefusedError';
}

/**
 * Whether a transfer's files are copied by the server where both storages lie. The first part is the trial: other files wait
 * for its answer, so that one refusal is all that a server which does not allow it sees of it. What it refused stays refused
 * for the rest of this attempt.
 */
export interface ServerCopies {
  /**
   * Does `work` with a file that may be copied; `copied` has to be called after each part. Null where its bytes have to be
   * sent. Errors: `CopyRefusedError`; an upload that is gone and what is not of the provider, as they are.
   */
  use<T>(file: CopiedFile, work: (plan: CopyPlan, copied: () => void) => Promise<T>): Promise<T | null>;
}

/** A server that copies for longer says nothing meanwhile, and would be taken for dead. */
const largestPart = 1024 ** 3;

/** These say nothing of copying. */
const ofTheUpload: readonly ProviderErrorCode[] = ['upload_gone', 'part_missing'];

/** How many parts an S3 etag says that its object was made of. */
const partsOf = (etag: string): number => Number(/-(\d+)$/.exec(etag)?.[1] ?? 1);

export function createServerCopies({ provider, storage }: Pick<DeliveryRequest, 'provider' | 'storage'>): ServerCopies {
  let works = false;
  let isRefused = false;
  let trial: Promise<void> | null = null;

  /** The source is made of our own record of the file alone: nothing that a Team says leads to another object. */
  async function planOf({ key, size, chunkSize, etag }: CopiedFile): Promise<CopyPlan | null> {
    // A packed object is a stretch of another, and servers copy whole objects.
    const place = parsePackedKey(key) ? null : storage.locate?.(key);
    if (!place || size === 0 || chunkSize === 0 || chunkSize > largestPart) return null;
    if (!provider.copyPart || !provider.reaches?.({ ...place, etag: '' })) return null;
    const known = etag || (await storage.head?.(key))?.etag;
    const partSize = choosePartSize(provider.plan, size, chunkSize);
    const parts = Math.ceil(size / chunkSize);
    if (!known || partsOf(known) !== parts || (parts > 1 && partSize !== chunkSize)) return null;
    return { source: { ...place, etag: known }, partSize };
  }

  return {
    async use(file, work) {
      if (isRefused) return null;
      const plan = await planOf(file);
      if (!plan) return null;
      while (!works && !isRefused && trial !== null) await trial;
      if (isRefused) return null;
      const own = Promise.withResolvers<void>();
      if (!works) trial = own.promise;
      try {
        return await work(plan, () => {
          works = true;
          own.resolve();
        });
      } catch (error) {
        if (!(error instanceof ProviderError) || ofTheUpload.includes(error.code)) throw error;
        isRefused = true;
        throw new CopyRefusedError('The storage copies nothing for this transfer.', { cause: error });
      } finally {
        if (trial === own.promise) trial = null;
        own.resolve();
      }
    },
  };
}
