import { MoveError } from '#client/errors.ts';
import type { Slice } from '#client/ports.ts';
import { stride } from './buffers.ts';
import { createSliceDigest } from './digests.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { DiskSink } from './sink.ts';

export interface RangeWriterOptions {
  readonly sink: DiskSink;
  readonly slice: Slice;
  readonly limiter?: RateLimiter;
  readonly signal: AbortSignal;
  /** Bytes that the operating system has taken. */
  readonly onBytes: (count: number) => void;
  /** There is room again after `add` asked to wait. */
  readonly onRoom: () => void;
  /** Writing failed: nothing more is of use. */
  readonly onFailure: (error: unknown) => void;
}

/** Gathers what comes of a range into strides, digests it and writes each stride where it belongs. */
export interface RangeWriter {
  /**
   * Takes bytes over; they may not be changed any more. False asks for no more until `onRoom`. More bytes
   * than the range has throw `wrong_answer`.
   */
  add(bytes: Buffer): boolean;
  /** Waits until all is written; gives the BLAKE3 of it. Fewer bytes than the range has are `cut`. */
  finish(): Promise<string>;
  /** Resolves when nothing is being written any more, well or not. */
  settled(): Promise<unknown>;
}

/** Bytes on their way to the disk above which the connection has to wait. */
const mostWaiting = 2 * stride;

export function createRangeWriter({ sink, slice, limiter, signal, onBytes, onRoom, onFailure }: RangeWriterOptions): RangeWriter {
  const digest = createSliceDigest(false);
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;
  let received = 0;
  let waiting = 0;
  let full = false;
  let failed = false;
  const writes = new Set<Promise<void>>();

  function flush(): void {
    const [buffers, length] = [gathered, gatheredBytes];
    if (length === 0) return;
    gathered = [];
    gatheredBytes = 0;
    track(length, () => sink.write(buffers, slice.offset + received - length));
  }

  /** Runs work that keeps `length` bytes waiting. */
  function track(length: number, work: () => void | Promise<void>, done: (count: number) => void = onBytes): void {
    waiting += length;
    const over = (): void => {
      waiting -= length;
      if (failed) return;
      done(length);
      if (full && waiting < mostWaiting) {
        full = false;
        onRoom();
      }
    };
    const working = work();
    if (!working) {
      over();
      return;
    }
    const tracked = working.then(over, (error: unknown) => {
      failed = true;
      onFailure(error);
      throw error;
    });
    writes.add(tracked);
    tracked.then(
      () => writes.delete(tracked),
      () => {},
    );
  }

  return {
    add(bytes) {
      received += bytes.length;
      if (received > slice.length) throw tooLong(slice);
      digest.update(bytes);
      gathered.push(bytes);
      gatheredBytes += bytes.length;
      if (gatheredBytes >= stride || received === slice.length) flush();
      const pause = limiter?.take(bytes.length, signal);
      // As if the disk were full up: the connection waits for the rate.
      if (pause)
        track(
          mostWaiting,
          () => pause,
          () => {},
        );
      full = waiting >= mostWaiting;
      return !full;
    },
    async finish() {
      if (received < slice.length)
        throw new MoveError('cut', `The connection to the storage broke ${slice.length - received} bytes too early.`);
      await Promise.all(writes);
      return digest.end().blake3;
    },
    settled: () => Promise.allSettled(writes),
  };
}

function tooLong(slice: Slice): MoveError {
  return new MoveError('wrong_answer', `The storage sent more than the ${slice.length} bytes that were asked for.`);
}
