import type { Dispatcher } from 'undici';
import type { RangeReceiver, Slice } from '#client/ports.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { rangeOf } from '#protocol/storage/ranges.ts';
import { compares, unencoded } from '#protocol/storage/requests.ts';
import { flat } from './exchange.ts';
import { type RawHttp, rangeExchange } from './fast/raw-http.ts';
import { netFailure } from './net-failures.ts';
import { checkRangeAnswer } from './range-answer.ts';
import { createRangeWriter, type Flow, type RangeWriter } from './range-writer.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { ObjectSink } from './sink.ts';
import { type Timekeeper, untimed } from './time-split.ts';

interface RangeReceiverOptions {
  /** Few connections, for large ranges. */
  readonly bulk: Dispatcher;
  /** Many connections for small files, where the round trip is the main cost. */
  readonly small: Dispatcher;
  /** For large ranges it supports; optional. */
  readonly raw?: RawHttp;
  readonly limiter?: RateLimiter;
  readonly times?: Timekeeper;
}

/** Bytes of a refusal that are read: enough for its message. */
const longestRefusal = 8 * 1024;

/** Streams ranges of a download address into files. All failures are `TransferError`s, or the signal's reason. */
export function createRangeReceiver({ bulk, small, raw, limiter, times = untimed }: RangeReceiverOptions): RangeReceiver<ObjectSink> {
  return async (address, sink, slice, { onBytes, signal }) => {
    signal.throwIfAborted();
    const url = new URL(address);
    let flow: Flow | null = null;
    const attach = (from: Flow | null): void => {
      flow = from;
      if (signal.aborted) from?.stop(signal.reason);
    };
    const writer = createRangeWriter({ sink, slice, signal, onBytes, flow: () => flow, times, ...(limiter ? { limiter } : {}) });
    const onAbort = (): void => flow?.stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const isSmall = slice.length <= smallFileSize;
    try {
      const pause = writer.mayBegin();
      if (pause) await pause;
      writer.asked();
      const done = !isSmall && raw?.fits(url) ? await raw.receive(url, rangeExchange(slice), writer, attach) : false;
      if (!done) await receive(isSmall ? small : bulk, url, slice, writer, attach);
      attach(null);
      return { blake3: await writer.finish() };
    } catch (error) {
      signal.throwIfAborted();
      throw netFailure(error);
    } finally {
      signal.removeEventListener('abort', onAbort);
      await writer.settled();
    }
  };
}

function receive(dispatcher: Dispatcher, url: URL, slice: Slice, writer: RangeWriter, attach: (flow: Flow) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let refusal: Refusal | null = null;
    const stop = (reason: unknown): void => {
      reject(reason);
      controller?.abort(reason as Error);
    };
    const range = rangeOf(slice.offset, slice.length);
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers: { range, ...unencoded, ...compares } },
      {
        onRequestStart(started) {
          controller = started;
          attach({ resume: () => started.resume(), stop });
        },
        onResponseStart(_, status, received) {
          // An interim answer: the final one follows.
          if (status < 200) return;
          const headers = flat(received);
          const verdict = checkRangeAnswer(status, headers, slice);
          if (verdict === 'refused') refusal = { status, headers, text: '' };
          else if (verdict) stop(verdict);
        },
        onResponseData(started, chunk) {
          if (refusal) {
            refusal.text += chunk.toString('utf8');
            if (refusal.text.length > longestRefusal) stop(storageRefusal(refusal, 'object'));
          } else {
            writer.arrived(chunk.length);
            if (!writer.add(chunk)) started.pause();
          }
        },
        onResponseEnd() {
          if (refusal) reject(storageRefusal(refusal, 'object'));
          else resolve();
        },
        onResponseError(_, error) {
          reject(error);
        },
      },
    );
  });
}

interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  text: string;
}
