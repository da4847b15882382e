import { addressBytes, type CompanyRules, createRefusable, type RequestPorts } from './company.ts';
import { createGatherer } from './gather.ts';
import type { Gate, RangeReceiver, Slice } from './ports.ts';

/** What one request fetches. Bytes; the storage gives no more. */
export const manyObjects = { objects: 200, objectBytes: 256 * 1024, bytes: 4 * 1024 * 1024 } as const;

/** A small file that comes whole, with others. `T` is where it goes. */
export interface ObjectToFetch<T> {
  /** Its own address. */
  readonly url: string;
  readonly sink: T;
  /** All of it. */
  readonly slice: Slice;
  readonly onBytes: (count: number) => void;
  /** It has been written. Bytes of it have come as they were sent, or not: its digest tells. */
  readonly came: (received: { readonly blake3: string }) => void;
  /** It has come, and could not be written. */
  readonly failed: (error: unknown) => void;
}

/**
 * Fetches objects in one request, from where the storage gives many, and tells each as soon as it is there. What it
 * leaves untold has not come. Nothing runs any more once it is settled. Failures are `MoveError`s, or the signal's reason.
 */
export type ObjectsFetcher<T> = (url: string, objects: readonly ObjectToFetch<T>[], signal: AbortSignal) => Promise<void>;

export interface ManyRequestsPorts<T> extends RequestPorts {
  readonly fetch: ObjectsFetcher<T>;
}

/** The requests for many objects of one transfer: whoever makes them, those that are refused are counted together. */
export interface ManyRequests<T> {
  /**
   * Fetches these in one request, and tells of each that comes. What it leaves untold has not come, which after a refusal
   * of the request as a whole is all of it. Rejects where the request was lost.
   */
  fetch(objects: readonly ObjectToFetch<T>[]): Promise<void>;
  /** False: too many were refused, and none is made any more. */
  readonly allowed: boolean;
}

export interface ManyFetcherPorts<T extends object> extends CompanyRules {
  readonly requests: ManyRequests<T>;
  /** Receives what does not come with others. */
  readonly alone: RangeReceiver<T>;
  readonly gate: Gate;
}

export function createManyRequests<T>({ fetch, gate, url, signal }: ManyRequestsPorts<T>): ManyRequests<T> {
  const requests = createRefusable(new Set(['storage_refused', 'address_refused', 'object_gone', 'wrong_answer']));
  return {
    get allowed() {
      return requests.allowed;
    },
    async fetch(objects) {
      await requests.attempt(async () => {
        await gate(() => fetch(url, objects, signal));
        return objects;
      });
    },
  };
}

/**
 * Fetches small files many in a request, the way down's twin of `many-sender.ts`. One that the storage refuses comes
 * `alone`, and fails there as it would have; so do all of a request that is refused as a whole, or that is answered
 * with what is no answer. A request that is lost fails each that has not come yet. What has been fetched with others
 * once, and is asked for again, comes alone: so whatever is wrong with the company costs each file one attempt.
 */
export function createManyFetcher<T extends object>(ports: ManyFetcherPorts<T>): RangeReceiver<T> {
  const { requests, alone, gate, pause, atOnce = 1, least = 1 } = ports;
  const tried = new WeakSet<T>();

  const together = createGatherer<ObjectToFetch<T>, null>({
    most: manyObjects.objects,
    mostWeight: manyObjects.bytes,
    weightOf: ({ slice }) => slice.length + addressBytes,
    pause,
    atOnce,
    async run(objects) {
      if (objects.length >= least) await requests.fetch(objects);
      return objects.map(() => null);
    },
  });

  return async (address, sink, slice, options) => {
    const fits = slice.offset === 0 && slice.length <= manyObjects.objectBytes && requests.allowed && !tried.has(sink);
    tried.add(sink);
    const received = fits
      ? await new Promise<{ readonly blake3: string } | null>((resolve, reject) => {
          together({ url: address, sink, slice, onBytes: options.onBytes, came: resolve, failed: reject }).then(resolve, reject);
        })
      : null;
    return received ?? gate(() => alone(address, sink, slice, options));
  };
}
