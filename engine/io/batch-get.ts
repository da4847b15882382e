import type { Dispatcher } from 'undici';
import { type BatchGet, type BatchGetPlace, batchGetRequest, type ObjectToFetch } from '#client/batch-get.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { batchContentType, unencoded } from '#protocol/storage/requests.ts';
import { createBatchGetParser } from './batch-get-parser.ts';
import { blake3Hex } from './digests.ts';
import { flat } from './exchange.ts';
import type { RawExchange, RawHttp } from './fast/raw-http.ts';
import { netFailure } from './net-failures.ts';
import type { Flow } from './range-writer.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { ObjectSink } from './sink.ts';
import { type Busy, type Timekeeper, untimed } from './time-split.ts';

interface BatchGetOptions {
  readonly dispatcher: Dispatcher;
  /** For requests it supports; optional. */
  readonly raw?: RawHttp;
  readonly limiter?: RateLimiter;
  readonly times?: Timekeeper;
}

/** Bytes at once under a limit of 400 KB/s: below it a batch request would take too long. */
const slowPiece = 8 * 1024;
/**
 * Bytes of one request under a limit. They are charged to the limit before the request, as for any small file, because
 * the kernel's buffers receive them at once.
 */
const limitedBatchBytes = 256 * 1024;
/** Bytes that are taken apart in one go; more would hold up others for longer. */
const mostAtOnce = 256 * 1024;
/** After so many answers in a row that the raw client does not support, it is left out: each was asked for twice. */
const mostUnfit = 3;
/** Bytes of a refusal that are read: enough for its message. */
const longestRefusal = 8 * 1024;

/** False under a limit so slow that one request would be under way for too long. */
export const isQuickForBatchGet = (limiter: RateLimiter | undefined): boolean => !limiter || limiter.piece() >= slowPiece;

interface Asked {
  readonly url: URL;
  readonly body: string;
  readonly signal: AbortSignal;
}

type Objects = readonly ObjectToFetch<ObjectSink>[];

/**
 * Fetches small files in batch requests. Each is hashed and written as soon as it is complete, by the thread that
 * received it. Not used under a slow limit.
 */
export function createBatchGet({ dispatcher, raw, limiter, times = untimed }: BatchGetOptions): BatchGet<ObjectSink> {
  let unfit = 0;
  return async (at, all, signal) => {
    signal.throwIfAborted();
    const piece = limiter?.piece() ?? Number.POSITIVE_INFINITY;
    if (!isQuickForBatchGet(limiter)) return;
    for (const objects of piece === Number.POSITIVE_INFINITY ? [all] : batchesOf(all)) await fetchOnce(at, objects, signal);
  };

  async function fetchOnce(at: BatchGetPlace, objects: Objects, signal: AbortSignal): Promise<void> {
    let cause: Busy = 'server';
    const busyNow = (busy: Busy): void => {
      if (busy !== cause) times.move(cause, busy);
      cause = busy;
    };
    const writes: Promise<void>[] = [];
    times.enter(cause);
    try {
      const pause = limiter?.take(bytesOf(objects), signal);
      if (pause) {
        busyNow('limit');
        await pause;
        busyNow('server');
      }
      const answer = createBatchGetParser(
        objects.map(({ slice }) => slice.length),
        (index, bytes) => {
          const writing = store(objects[index]!, bytes);
          if (writing) writes.push(writing);
        },
      );
      const { url, body } = batchGetRequest(at, objects);
      const asked = { url: new URL(url), body, signal };
      const onData = (bytes: Buffer): void => {
        busyNow('network');
        answer.add(bytes);
      };
      if (!(await requestRaw(asked, onData, () => (writes.length === 0 ? null : Promise.all(writes))))) await request(asked, onData);
      answer.end();
    } catch (error) {
      signal.throwIfAborted();
      throw netFailure(error);
    } finally {
      await Promise.all(writes);
      times.leave(cause);
    }
  }

  /** Reports the result of an object; an error of one does not affect the others. */
  function store(
    { sink, slice, onBytes, onReceived: came, onFailure: failed }: ObjectToFetch<ObjectSink>,
    bytes: Buffer,
  ): Promise<void> | undefined {
    const blake3 = timed('hashing', () => blake3Hex(bytes));
    const written = (): void => {
      onBytes(slice.length);
      came({ blake3 });
    };
    try {
      const writing = timed('writing', () => sink.write([bytes], slice.offset));
      if (writing) return writing.then(written, failed);
      written();
    } catch (error) {
      failed(error);
    }
    return undefined;
  }

  function timed<T>(cause: Busy, work: () => T): T {
    if (!times.sampled()) return work();
    const began = times.clock();
    const result = work();
    times.took(cause, times.clock() - began);
    return result;
  }

  /** False if nothing was received, and the ordinary client must ask. `written`: what is still being written. */
  async function requestRaw(
    { url, body, signal }: Asked,
    onData: (bytes: Buffer) => void,
    written: () => Promise<unknown> | null,
  ): Promise<boolean> {
    if (!raw?.fits(url) || unfit >= mostUnfit) return false;
    let flow: Flow | null = null;
    const onAbort = (): void => flow?.stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const sink = {
      mostAtOnce: () => mostAtOnce,
      enough: () => 0,
      arrived: () => true,
      add(bytes: Buffer, release: () => void) {
        onData(bytes);
        const writing = written();
        if (writing) void writing.then(release, release);
        else release();
        return true;
      },
    };
    try {
      const done = await raw.receive(url, batchExchange(body), sink, (from) => {
        flow = from;
        if (signal.aborted) from.stop(signal.reason);
      });
      unfit = done ? 0 : unfit + 1;
      return done;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  function request({ url, body, signal }: Asked, onData: (bytes: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | null = null;
      let refusal: { readonly status: number; readonly headers: Record<string, string>; text: string } | null = null;
      const stop = (reason: unknown): void => {
        reject(reason);
        controller?.abort(reason as Error);
      };
      const onAbort = (): void => stop(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      const over = (): void => signal.removeEventListener('abort', onAbort);
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'POST',
          headers: { 'content-type': batchContentType, ...unencoded },
          body,
        },
        {
          onRequestStart(started) {
            controller = started;
            if (signal.aborted) started.abort(signal.reason);
          },
          onResponseStart(_, status, headers) {
            if (status >= 200 && status !== 200) refusal = { status, headers: flat(headers), text: '' };
          },
          onResponseData(_, bytes) {
            try {
              if (!refusal) return onData(bytes);
              refusal.text += bytes.toString('utf8');
              if (refusal.text.length > longestRefusal) stop(storageRefusal(refusal, 'object'));
            } catch (error) {
              stop(error);
            }
          },
          onResponseEnd() {
            over();
            if (refusal) reject(storageRefusal(refusal, 'object'));
            else resolve();
          },
          onResponseError(_, error) {
            over();
            reject(error);
          },
        },
      );
    });
  }
}

const batchExchange = (body: string): RawExchange => ({
  method: 'POST',
  headers: { 'content-type': batchContentType },
  body,
  lengthOf(status, { 'content-encoding': encoding, 'content-length': length }) {
    if (status > 200) return 'refused';
    return status === 200 && (encoding === undefined || encoding === 'identity') && /^\d+$/.test(length!) ? Number(length) : null;
  },
});

const bytesOf = (objects: Objects): number => objects.reduce((sum, { slice }) => sum + slice.length, 0);

/** Splits the objects in order into batches with a limit on bytes; a larger object is a batch of its own. */
function batchesOf(objects: Objects): Objects[] {
  const batches: ObjectToFetch<ObjectSink>[][] = [];
  let bytes = 0;
  for (const object of objects) {
    const last = batches.at(-1);
    if (last && bytes + object.slice.length <= limitedBatchBytes) last.push(object);
    else {
      batches.push([object]);
      bytes = 0;
    }
    bytes += object.slice.length;
  }
  return batches;
}
