import { smallFileSize } from '#protocol/limits.ts';
import { acceptedBatchGet } from '#protocol/storage/batch-get.ts';
import { addressBytes, type BatchingRules, type BatchRequestPorts, createCircuitBreaker } from './batch-requests.ts';
import { createBatcher } from './batcher.ts';
import type { Gate, RangeReceiver, Slice } from './ports.ts';

/** Limits of one batch request, sizes in bytes. The storage accepts no larger batch. */
export const batchGetLimits = { objects: 200, objectBytes: smallFileSize, bytes: acceptedBatchGet.bytes } as const;

/** A small file that is fetched whole in a batch request. `T` is the sink that it is written to. */
export interface ObjectToFetch<T> {
  /** The file's own download address. */
  readonly url: string;
  readonly sink: T;
  /** The whole file. */
  readonly slice: Slice;
  readonly onBytes: (count: number) => void;
  /** The file has been written. Its bytes may be damaged: the caller compares the digest. */
  readonly onReceived: (received: { readonly blake3: string }) => void;
  /** The file was received but could not be written. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Fetches objects in one batch request and reports each one as soon as it is complete. An object that is not reported
 * was not received. When the promise settles, no work is left running. Failures are `TransferError`s, or the signal's
 * reason.
 */
export type BatchGet<T> = (url: string, objects: readonly ObjectToFetch<T>[], signal: AbortSignal) => Promise<void>;

interface BatchGetPorts<T> extends BatchRequestPorts {
  readonly fetch: BatchGet<T>;
}

/** The batch requests of one transfer. They share one count of refusals. */
export interface BatchGetRequests<T> {
  /**
   * Fetches these objects in one request and reports each one that is received. Objects that are not reported were not
   * received; after a refusal of the whole request that is all of them. Rejects when the connection was lost.
   */
  fetch(objects: readonly ObjectToFetch<T>[]): Promise<void>;
  /** False after too many refusals: no more batch requests are made. */
  readonly allowed: boolean;
}

export interface BatchingReceiverPorts<T extends object> extends BatchingRules {
  readonly requests: BatchGetRequests<T>;
  /** Fetches a file that is not part of a batch. */
  readonly single: RangeReceiver<T>;
  readonly gate: Gate;
}

export function createBatchGetRequests<T>({ fetch, gate, url, signal }: BatchGetPorts<T>): BatchGetRequests<T> {
  const breaker = createCircuitBreaker();
  return {
    get allowed() {
      return breaker.allowed;
    },
    async fetch(objects) {
      await breaker.attempt(async () => {
        await gate(() => fetch(url, objects, signal));
        return objects;
      });
    },
  };
}

/**
 * Fetches small files in batch requests; `batch-put.ts` does the same for uploads. A file that the storage refuses is
 * fetched by `single`, so that its error is the usual one. The same holds for all files of a request that is refused as a
 * whole or gets an invalid answer. A lost request fails each file that was not received yet. A file is fetched in a
 * batch only once; the next attempt is always by `single`. So a problem with batches costs each file one attempt.
 */
export function createBatchingReceiver<T extends object>(ports: BatchingReceiverPorts<T>): RangeReceiver<T> {
  const { requests, single, gate, linger, concurrency = 1, minItems = 1 } = ports;
  const tried = new WeakSet<T>();

  const batched = createBatcher<ObjectToFetch<T>, null>({
    maxItems: batchGetLimits.objects,
    maxWeight: batchGetLimits.bytes,
    weightOf: ({ slice }) => slice.length + addressBytes,
    linger,
    concurrency,
    async run(objects) {
      if (objects.length >= minItems) await requests.fetch(objects);
      return objects.map(() => null);
    },
  });

  return async (address, sink, slice, options) => {
    const fits = slice.offset === 0 && slice.length <= batchGetLimits.objectBytes && requests.allowed && !tried.has(sink);
    tried.add(sink);
    const received = fits
      ? await new Promise<{ readonly blake3: string } | null>((resolve, reject) => {
          batched({ url: address, sink, slice, onBytes: options.onBytes, onReceived: resolve, onFailure: reject }).then(resolve, reject);
        })
      : null;
    return received ?? gate(() => single(address, sink, slice, options));
  };
}
