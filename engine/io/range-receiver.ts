import type { Dispatcher } from 'undici';
import type { RangeReceiver, Slice } from '#client/ports.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { flat } from './exchange.ts';
import { netFailure } from './net-failures.ts';
import { checkRangeAnswer } from './range-answer.ts';
import { createRangeWriter } from './range-writer.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { DiskSink } from './sink.ts';

export interface RangeReceiverOptions {
  /** Few connections, for bytes in bulk. */
  readonly bulk: Dispatcher;
  /** Many connections, for small files, where the round trip is what costs. */
  readonly small: Dispatcher;
  readonly limiter?: RateLimiter;
}

const smallSlice = 256 * 1024;
/** Bytes of a refusal that are read: enough for its sentence. */
const longestRefusal = 8 * 1024;

/** Streams ranges of a download address into files. All failures are `MoveError`s, or the signal's reason. */
export function createRangeReceiver({ bulk, small, limiter }: RangeReceiverOptions): RangeReceiver<DiskSink> {
  return async (url, sink, slice, { onBytes, signal }) => {
    signal.throwIfAborted();
    const dispatcher = slice.length <= smallSlice ? small : bulk;
    try {
      return { blake3: await receive(dispatcher, url, sink, slice, onBytes, signal, limiter) };
    } catch (error) {
      signal.throwIfAborted();
      throw netFailure(error);
    }
  };
}

async function receive(
  dispatcher: Dispatcher,
  url: string,
  sink: DiskSink,
  slice: Slice,
  onBytes: (count: number) => void,
  signal: AbortSignal,
  limiter: RateLimiter | undefined,
): Promise<string> {
  const answered = Promise.withResolvers<void>();
  let controller: Dispatcher.DispatchController | null = null;
  let refusal: Refusal | null = null;
  const writer = createRangeWriter({
    sink,
    slice,
    signal,
    onBytes,
    onRoom: () => controller?.resume(),
    onFailure: (error) => end(error),
    ...(limiter ? { limiter } : {}),
  });
  const end = (reason: unknown): void => {
    answered.reject(reason);
    controller?.abort(reason as Error);
  };
  const onAbort = (): void => end(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });

  const { origin, pathname, search } = new URL(url);
  const range = `bytes=${slice.offset}-${slice.offset + slice.length - 1}`;
  dispatcher.dispatch(
    // Without the second, a server might compress, and a range of that is a range of something else.
    { origin, path: pathname + search, method: 'GET', headers: { range, 'accept-encoding': 'identity' } },
    {
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) started.abort(signal.reason);
      },
      onResponseStart(_, status, received) {
        const headers = flat(received);
        const verdict = checkRangeAnswer(status, headers, slice);
        if (verdict === 'refused') refusal = { status, headers, text: '' };
        else if (verdict) end(verdict);
      },
      onResponseData(started, chunk) {
        if (refusal) {
          refusal.text += chunk.toString('utf8');
          if (refusal.text.length > longestRefusal) end(storageRefusal(refusal, 'object'));
        } else if (!writer.add(chunk)) started.pause();
      },
      onResponseEnd() {
        if (refusal) answered.reject(storageRefusal(refusal, 'object'));
        else answered.resolve();
      },
      onResponseError(_, error) {
        answered.reject(error);
      },
    },
  );
  try {
    await answered.promise;
    return await writer.finish();
  } finally {
    signal.removeEventListener('abort', onAbort);
    await writer.settled();
  }
}

interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  text: string;
}
