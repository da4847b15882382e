import { acceptedBatchGet, batchGetAddress, batchGetBody, sharedBatchGetBody } from '#protocol/storage/batch-get.ts';
import { type BatchRequestPorts, createCircuitBreaker } from './batch-requests.ts';
import type { Slice } from './ports.ts';

/** Bytes of one batch request. The storage accepts no larger one. */
export const batchGetLimits = { bytes: acceptedBatchGet.bytes } as const;

/** A small file that is fetched whole in a batch request. `T` is the sink that it is written to. */
export interface ObjectToFetch<T> {
  /** The file's own download address; or its place among the objects that one address stands for. */
  readonly from: { readonly url: string } | { readonly position: number };
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
export type BatchGet<T> = (at: BatchGetPlace, objects: readonly ObjectToFetch<T>[], signal: AbortSignal) => Promise<void>;

/** Where objects are asked for: the storage's address for such requests, or one that stands for the objects with these keys. */
export type BatchGetPlace = { readonly url: string } | { readonly shared: string; readonly keys: readonly string[] };

/** Address and body of a request for these objects, all of which are `from` the same place. */
export function batchGetRequest(at: BatchGetPlace, objects: readonly Pick<ObjectToFetch<unknown>, 'from'>[]) {
  if ('shared' in at) {
    const wanted = objects.flatMap(({ from }) => ('position' in from ? [from.position] : []));
    return { url: at.shared, body: sharedBatchGetBody({ keys: at.keys, wanted }) };
  }
  const addresses = objects.flatMap(({ from }) => ('url' in from ? [from.url] : []));
  return { url: batchGetAddress(at.url, addresses), body: batchGetBody(addresses) };
}

interface BatchGetPorts<T> extends BatchRequestPorts {
  readonly fetch: BatchGet<T>;
}

/** The batch requests of one transfer. They share one count of refusals. */
export interface BatchGetRequests<T> {
  /**
   * Fetches these objects in one request and reports each one that is received. Objects that are not reported were not
   * received; after a refusal of the whole request that is all of them. Rejects when the connection was lost. `at` is the
   * storage's address for such requests unless one address stands for all.
   */
  fetch(objects: readonly ObjectToFetch<T>[], at?: BatchGetPlace): Promise<void>;
  /** False after too many refusals: no more batch requests are made. */
  readonly allowed: boolean;
}

export function createBatchGetRequests<T>({ fetch, gate, url, signal }: BatchGetPorts<T>): BatchGetRequests<T> {
  const breaker = createCircuitBreaker();
  return {
    get allowed() {
      return breaker.allowed;
    },
    async fetch(objects, at = { url }) {
      await breaker.attempt(async () => {
        await gate(() => fetch(at, objects, signal));
        return objects;
      });
    },
  };
}
