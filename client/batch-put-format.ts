import type { Blueprint } from '#protocol/schema.ts';
import { TransferError } from './errors.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { refusalOf } from './storage-answers.ts';

/** Format of a batch request with many small parts (docs/decisions/0020). */

/** Limits of one request, sizes in bytes; the storage accepts slightly more. */
export const batchPutLimits = { parts: 200, partBytes: 512 * 1024, bytes: 4 * 1024 * 1024 } as const;

interface BatchPart {
  readonly blueprint: Blueprint;
  /** Bytes. */
  readonly length: number;
}

/** Path and query of an address. The storage identifies the part by them, whatever host name is used. */
export function targetOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/**
 * The address of the request: the storage's batch address, with the first part's address as authorization before any
 * body is read.
 */
export const batchPutAddress = (url: string, parts: readonly BatchPart[]): string =>
  `${url}?for=${encodeURIComponent(targetOf(parts[0]!.blueprint.url))}`;

/** The text before the bytes: one line with the address and length of each part. */
export const batchPutHead = (parts: readonly BatchPart[]): string =>
  `${JSON.stringify(parts.map(({ blueprint, length }) => ({ target: targetOf(blueprint.url), length })))}\n`;

/**
 * The result of each part, in the order sent: its etag, or the error.
 *
 * @throws TransferError `wrong_answer` for an invalid answer
 */
export function parseBatchPutAnswer(text: string, count: number): (string | TransferError)[] {
  const parts = partsIn(text);
  if (parts?.length !== count) throw new TransferError('wrong_answer', 'The storage did not say what it has received.');
  return parts.map(({ etag, status, code, message, retry_after: retryAfter }) => {
    if (typeof etag === 'string') return etag;
    return refusalOf(
      {
        status: typeof status === 'number' ? status : 500,
        code: typeof code === 'string' ? code : null,
        said: typeof message === 'string' ? message : null,
        retryAfter: retryAfterSeconds(typeof retryAfter === 'string' ? retryAfter : undefined),
      },
      'upload',
    );
  });
}

type Answered = Partial<Record<'etag' | 'status' | 'code' | 'message' | 'retry_after', unknown>>;

function partsIn(text: string): readonly Answered[] | null {
  try {
    const { parts } = JSON.parse(text) as { parts?: unknown };
    return Array.isArray(parts) && parts.every((part) => typeof part === 'object' && part !== null) ? parts : null;
  } catch {
    return null;
  }
}
