import { addAbortSignal } from 'node:stream';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';

/** Connections that may break, one after the other, without a byte in between. */
const attempts = 5;

/** The version of an object whose bytes are read: others are refused by the provider. */
interface Version {
  readonly id: string;
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * The bytes from `start` up to `end` (exclusive) of this version, exactly. A connection that breaks is made again where it
 * broke; how often opening one is tried is the provider's wrapper's. Errors: `ProviderError`, `changed` for another version,
 * `corrupted` after bytes that were given are found to be wrong.
 */
export async function* readVersion(
  provider: Pick<CloudProvider, 'openRange'>,
  { id, etag, size }: Version,
  start: number,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let failures = 0;
  for (let at = start, isRead = false; !isRead; ) {
    // Of an empty file nothing is read, but it is asked whether it is still the same.
    const range = size === 0 ? {} : { range: { start: at, end: end - 1 } };
    const stream = addAbortSignal(signal, await provider.openRange({ id, ifMatch: etag, ...range }, signal));
    let isTold = false;
    try {
      for await (const bytes of stream as AsyncIterable<Buffer>) {
        if (bytes.length > end - at) throw new ProviderError('changed', 'The file has changed while it was read.');
        at += bytes.length;
        failures = 0;
        isTold = true;
        yield bytes;
        isTold = false;
      }
      if (at < end) throw new ProviderError('unreachable', 'The storage broke off while a file was read. Try again soon.');
      isRead = true;
    } catch (error) {
      signal.throwIfAborted();
      // Thrown into the generator by its reader.
      if (isTold) throw error;
      failures += 1;
      if (!(error instanceof ProviderError) || error.retry !== 'soon' || error.code === 'corrupted' || failures === attempts) throw error;
      // All bytes had come before it broke.
      isRead = size > 0 && at === end;
    } finally {
      stream.destroy();
    }
  }
}
