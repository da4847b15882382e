import { TransferError } from '#client/errors.ts';
import type { Slice } from '#client/ports.ts';
import { createStallTimeouts, type StallTimeouts } from '#client/stall-timeouts.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { rangeOf } from '#protocol/storage/ranges.ts';
import type { Hashers } from './hashers.ts';
import type { Sink } from './sink.ts';

/** Write buffer size in bytes: each write is a message to another process of the browser. */
const gathered = 1024 * 1024;
/** Shared by the whole page, since the stall timeout adapts to the storage's observed speed. */
const ofThePage = createStallTimeouts();

interface Receiving {
  readonly fetcher: typeof fetch;
  readonly hashers: Hashers;
  readonly stallTimeouts?: StallTimeouts;
}

/**
 * Streams a range of a download address into a file at the same offset. Returns its BLAKE3 (client/ports.ts
 * `RangeReceiver`).
 */
export async function receiveRange(
  { fetcher, hashers, stallTimeouts = ofThePage }: Receiving,
  url: string,
  sink: Sink,
  { offset, length }: Slice,
  { onBytes, signal }: { readonly onBytes: (count: number) => void; readonly signal: AbortSignal },
): Promise<{ readonly blake3: string }> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = stallTimeouts.waitFor({ method: 'GET', url: new URL(url), bytes: 0 });
  const stalled = (): void => {
    wait.stalled();
    stop.abort(new TransferError('stalled', 'The storage stopped: no byte moved for too long.'));
  };
  const alive = (): void => {
    clearTimeout(timer);
    timer = setTimeout(stalled, wait.betweenPieces);
  };
  alive();
  const { hasher, free } = await hashers.take();
  try {
    const body = await ask(fetcher, url, offset, length, stopped);
    wait.answered(0);
    const buffer = new Uint8Array(Math.min(gathered, length));
    let filled = 0;
    let done = 0;
    const flush = async (): Promise<void> => {
      const bytes = buffer.subarray(0, filled);
      hasher.update(bytes);
      await sink.write(offset + done, bytes);
      done += filled;
      filled = 0;
    };
    for await (const piece of pieces(body, stopped)) {
      alive();
      if (done + filled + piece.length > length) throw new TransferError('wrong_answer', 'The storage sent more than it was asked for.');
      onBytes(piece.length);
      for (let at = 0; at < piece.length; ) {
        const some = Math.min(piece.length - at, buffer.length - filled);
        buffer.set(piece.subarray(at, at + some), filled);
        filled += some;
        at += some;
        if (filled === buffer.length) await flush();
        alive();
      }
    }
    if (filled > 0) await flush();
    if (done !== length) throw new TransferError('cut', 'The connection ended before the file did.');
    return { blake3: hasher.digest('hex') };
  } finally {
    clearTimeout(timer);
    stop.abort();
    free();
  }
}

async function ask(
  fetcher: typeof fetch,
  url: string,
  offset: number,
  length: number,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const range = rangeOf(offset, length);
  let response: Response;
  try {
    response = await fetcher(url, {
      headers: { range },
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal,
    });
  } catch (cause) {
    throw brokenOff(signal, cause, 'unreachable', 'The storage does not answer.');
  }
  const { status, headers } = response;
  if (status === 206 && response.body) return response.body;
  if (status === 200) {
    // An answer with the whole file is accepted if the whole file was requested.
    if (offset === 0 && headers.get('content-length') === String(length) && response.body) return response.body;
    throw new TransferError('wrong_answer', 'The storage sent another part than it was asked for.');
  }
  const text = (await response.text().catch(() => '')).slice(0, 2_000);
  throw storageRefusal({ status, headers: Object.fromEntries(headers), text }, 'object');
}

async function* pieces(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const next = await reader.read().catch((cause: unknown) => {
      throw brokenOff(signal, cause, 'cut', 'The connection broke.');
    });
    if (next.done) return;
    yield next.value;
  }
}

/** The signal's own reason if it fired; otherwise the network failure. */
function brokenOff(signal: AbortSignal, cause: unknown, code: 'unreachable' | 'cut', message: string): unknown {
  return signal.aborted ? signal.reason : new TransferError(code, message, { cause });
}
