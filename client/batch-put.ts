import type { Blueprint } from '#protocol/schema.ts';
import { parseBatchPutAnswer } from '#protocol/storage/batch-put.ts';
import { addressBytes, type BatchRequestPorts, createCircuitBreaker } from './batch-requests.ts';
import { createBatcher } from './batcher.ts';
import { TransferError } from './errors.ts';
import type { ByteSource, ChunkSender, SentChunk, Slice } from './ports.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { refusalOf } from './storage-answers.ts';

/** How full a sender makes one request, sizes in bytes; the storage takes more (`acceptedBatchPut`). */
export const batchPutLimits = { parts: 200, partBytes: 512 * 1024, bytes: 4 * 1024 * 1024 } as const;

/** A small part that is sent in a batch request. */
export interface PartToSend<S> {
  readonly blueprint: Blueprint;
  readonly source: S;
  readonly slice: Slice;
  readonly onBytes: (count: number) => void;
}

/** Result of a batch request. */
interface BatchPutResult {
  /**
   * BLAKE3 of each part that was sent, 64 hex digits; `null` for a part that could not be read and so is not in the
   * request.
   */
  readonly blake3: readonly (string | null)[];
  /** The storage's answer for the parts that were sent. */
  readonly text: string;
}

/**
 * Reads parts and sends the readable ones in one request (protocol/storage/batch-put.ts). Failures are `TransferError`s, or the signal's
 * reason.
 */
export type BatchPut<S> = (url: string, parts: readonly PartToSend<S>[], signal: AbortSignal) => Promise<BatchPutResult>;

interface BatchPutPorts<S> extends BatchRequestPorts {
  readonly put: BatchPut<S>;
}

/** The batch requests of one transfer. They share one count of refusals. */
export interface BatchPutRequests<S> {
  /**
   * Sends the parts in one request and returns each part's result. `null`: the part was not sent; after a refusal of
   * the whole request that is every part.
   */
  send(parts: readonly PartToSend<S>[]): Promise<(SentChunk | TransferError | null)[]>;
  /** False after too many refusals: no more batch requests are made. */
  readonly allowed: boolean;
}

export interface BatchingSenderPorts<S extends ByteSource> extends BatchPutPorts<S> {
  /** Resolves when the first part of a request has waited long enough for others. */
  readonly linger: () => Promise<void>;
  /** Sends a part that cannot be in a batch. */
  readonly single: ChunkSender<S>;
}

export function createBatchPutRequests<S>({ put, gate, url, signal }: BatchPutPorts<S>): BatchPutRequests<S> {
  const breaker = createCircuitBreaker();
  return {
    get allowed() {
      return breaker.allowed;
    },
    async send(parts) {
      const sent = await breaker.attempt(async () => {
        const { blake3, text } = await gate(() => put(url, parts, signal));
        const sentCount = blake3.filter((digest) => digest !== null).length;
        if (sentCount === 0) return null;
        const answers = resultsOf(text, sentCount);
        let at = 0;
        return blake3.map((digest) => (digest === null ? null : sentOf(answers[at++]!, digest)));
      });
      return sent ?? parts.map(() => null);
    },
  };
}

/**
 * Sends small parts in batch requests; each part has its own result. A part that cannot be read is sent by `single`, so
 * that its error is the usual one. The same holds for all parts of a request that is refused as a whole or answered by
 * a proxy, since a proxy may block all batch requests. A lost request fails each of its parts.
 */
export function createBatchingSender<S extends ByteSource>(ports: BatchingSenderPorts<S>): ChunkSender<S> {
  const { single, gate, linger } = ports;
  const requests = createBatchPutRequests(ports);

  const batched = createBatcher<PartToSend<S>, SentChunk | TransferError | null>({
    maxItems: batchPutLimits.parts,
    maxWeight: batchPutLimits.bytes,
    weightOf: ({ slice }) => slice.length + addressBytes,
    linger,
    run: (parts) => requests.send(parts),
  });

  return async (blueprint, source, slice, options) => {
    // Only local storage accepts batches, and its etags are not MD5.
    const fits = !options.md5 && slice.length <= batchPutLimits.partBytes && requests.allowed;
    const sent = fits ? await batched({ blueprint, source, slice, onBytes: options.onBytes }) : null;
    if (sent instanceof TransferError) throw sent;
    return sent ?? gate(() => single(blueprint, source, slice, options));
  };
}

const sentOf = (answer: string | TransferError, blake3: string): SentChunk | TransferError =>
  answer instanceof TransferError ? answer : { etag: answer, blake3 };

/** Reports to each part how many of its bytes were sent. The parts follow the head, in their order. */
export function progressByPart(
  parts: readonly Pick<PartToSend<unknown>, 'slice' | 'onBytes'>[],
  headLength: number,
): (count: number) => void {
  let gone = -headLength;
  let index = 0;
  let ofThis = 0;
  return (count) => {
    gone += count;
    while (index < parts.length && gone > 0) {
      const { slice, onBytes } = parts[index]!;
      const more = Math.min(gone, slice.length - ofThis);
      if (more > 0) onBytes(more);
      gone -= more;
      ofThis += more;
      if (ofThis < slice.length) return;
      index++;
      ofThis = 0;
    }
  };
}

/**
 * The result of each part, in the order sent: its etag, or the error.
 *
 * @throws TransferError `wrong_answer` for an invalid answer
 */
export function resultsOf(text: string, count: number): (string | TransferError)[] {
  const parts = parseBatchPutAnswer(text, count);
  if (!parts) throw new TransferError('wrong_answer', 'The storage did not say what it has received.');
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
