import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { unlessAborted } from '#providers/http/token-cache.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { FileError } from './errors.ts';

/** What is sent: bytes that can be read again, from any offset. */
export interface Content {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `start` up to `end` (exclusive), exactly. */
  read(start: number, end: number, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Optional: fills the buffers with the bytes from `start` on. Any failure of it is `read`'s to meet again, and to tell. */
  readInto?(buffers: readonly Buffer[], start: number): Promise<void>;
}

/** Fills the buffers, one after the other, with the bytes from `start` on. Errors are those of `read`. */
export async function fill(content: Content, buffers: readonly Buffer[], start: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (content.readInto) {
    const reading = content.readInto(buffers, start).then(
      () => true,
      () => false,
    );
    // A disk may be stuck; the buffers, which it may fill one day, are nobody's then.
    const done = await unlessAborted(reading, signal);
    if (done) return;
  }
  let at = start;
  for (const buffer of buffers) {
    let filled = 0;
    for await (const bytes of content.read(at, at + buffer.length, signal)) filled += bytes.copy(buffer, filled);
    at += buffer.length;
  }
}

/** Where stored files are read. */
export type StoredBytes = Pick<ObjectStorage, 'read' | 'readInto'>;

const attempts = 5;
const firstDelay = 200;

const lost = () =>
  new FileError(
    'The storage of this service does not hold the file any more as it was received. Ask its operator, or send the file again.',
  );

/** Whether reading failed because of this file, and not of the storage. */
const isOfFile = (error: unknown): boolean =>
  error instanceof StorageError &&
  (error.code === 'no_such_object' || error.code === 'object_damaged' || error.code === 'range_not_satisfiable');

/**
 * A stored file. A connection to the storage that breaks is made again where it broke. Errors: `FileError` if the file is
 * not there or shorter, else `StorageError`.
 */
export function storedContent(storage: StoredBytes, key: string, size: number): Content {
  /** Ends with the signal's reason, even where the storage is stuck. */
  async function* pieces(start: number, end: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    let stream: Readable | null = null;
    const stop = Promise.withResolvers<never>();
    stop.promise.catch(() => undefined);
    const abort = () => {
      stop.reject(signal.reason);
      stream?.destroy(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    const opening = storage.read(key, { start, end: end - 1 });
    try {
      stream = await Promise.race([opening, stop.promise]);
      yield* stream as AsyncIterable<Buffer>;
    } catch (error) {
      if (stream === null) opening.then((late) => late.destroy()).catch(() => undefined);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  return {
    size,
    ...(storage.readInto && { readInto: (buffers: readonly Buffer[], start: number) => storage.readInto!(key, buffers, start) }),
    async *read(start, end, signal) {
      let failures = 0;
      for (let at = start; at < end; ) {
        signal.throwIfAborted();
        let isTold = false;
        try {
          for await (const piece of pieces(at, end, signal)) {
            const bytes = piece.length > end - at ? piece.subarray(0, end - at) : piece;
            at += bytes.length;
            failures = 0;
            isTold = true;
            yield bytes;
            isTold = false;
          }
          if (at < end) throw new StorageError('storage_unavailable', 'A stored file ended too early. Try again soon.');
        } catch (error) {
          signal.throwIfAborted();
          // Thrown into the generator by its reader.
          if (isTold) throw error;
          if (isOfFile(error)) throw lost();
          if (error instanceof StorageError && error.retry === 'never') throw error;
          failures += 1;
          if (failures === attempts) {
            if (error instanceof StorageError) throw error;
            throw new StorageError('storage_unavailable', 'The storage broke off while a file was read. Try again soon.', { cause: error });
          }
          await wait(firstDelay * 2 ** (failures - 1), undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      }
    },
  };
}
