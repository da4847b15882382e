import { TransferError } from '#client/errors.ts';
import type { Slice } from '#client/ports.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { stride } from './buffers.ts';
import { createSliceDigest } from './digests.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { ObjectSink } from './sink.ts';
import { type Busy, type Timekeeper, untimed } from './time-split.ts';

interface RangeWriterOptions {
  readonly sink: ObjectSink;
  readonly slice: Slice;
  readonly limiter?: RateLimiter;
  /** Records what the range is busy with, from `mayBegin` until it has settled. */
  readonly times?: Timekeeper;
  readonly signal: AbortSignal;
  /** Bytes that the operating system has taken. */
  readonly onBytes: (count: number) => void;
  /** The current source of the bytes, which is resumed when there is room again, or stopped when writing failed. */
  readonly flow: () => Flow | null;
}

/** The connection of a range, as far as its writer controls it. */
export interface Flow {
  resume(): void;
  /** Ends it; waiters for the range get the reason. */
  stop(reason: unknown): void;
}

/** Collects the received bytes of a range into strides, hashes them and writes each stride to its position. */
export interface RangeWriter {
  /** Resolves, or returns at once, when the rate limit permits the request: the first bytes are charged in advance. */
  mayBegin(): void | Promise<void>;
  /** The request is sent now: an answer is due. */
  asked(): void;
  /** Maximum bytes to read at once under the rate limit. */
  mostAtOnce(): number;
  /** Minimum bytes that are worth a write before the range ends. */
  enough(): number;
  /** More bytes were received. False: stop reading until the flow is resumed. */
  arrived(count: number): boolean;
  /**
   * Takes ownership of the bytes: they may not be changed before `release` is called, if ever. False: stop reading
   * until the flow is resumed. More bytes than the range has throw `wrong_answer`.
   */
  add(bytes: Buffer, release?: () => void): boolean;
  /** Waits until everything is written; returns the BLAKE3 of it. Throws `cut` if bytes of the range are missing. */
  finish(): Promise<string>;
  /** Resolves when no write is in progress, whether the writes succeeded or not. */
  settled(): Promise<unknown>;
}

/** Backpressure: with more unwritten bytes than this, the connection has to wait. */
const mostWaiting = 2 * stride;
/**
 * Bytes of a large range that are charged in advance: as many as one read may return. Received bytes cannot be sent
 * back, so charging them later would exceed the limit by one read of every connection.
 */
const mostAhead = 64 * 1024;
/** Under a slow limit, at most this many pieces are charged in advance. */
const piecesAhead = 8;
/** Pieces that are worth a write under a limit: whole strides would be seconds apart, and so would the progress. */
const piecesToWrite = 5;

export function createRangeWriter({ sink, slice, limiter, signal, onBytes, flow, times = untimed }: RangeWriterOptions): RangeWriter {
  const digest = createSliceDigest(false);
  let gathered: Buffer[] = [];
  let releases: (() => void)[] = [];
  let gatheredBytes = 0;
  let received = 0;
  let arrivedBytes = 0;
  let paid = 0;
  let waiting = 0;
  let full = false;
  let failed = false;
  let limited = 0;
  let busy: Busy | null = null;
  const writes = new Set<Promise<void>>();

  function busyWith(next: Busy | null): void {
    if (busy === next) return;
    if (busy === null) times.enter(next!);
    else if (next === null) times.leave(busy);
    else times.move(busy, next);
    busy = next;
  }

  /** Updates the cause of the current delay, if any, while bytes are received. */
  function reckon(): void {
    busyWith(limited > 0 ? 'limit' : full ? 'writing' : 'network');
  }

  function flush(): void {
    const [buffers, given, length] = [gathered, releases, gatheredBytes];
    gathered = [];
    releases = [];
    gatheredBytes = 0;
    track(
      length,
      () => {
        const timed = times.sampled();
        const began = timed ? times.clock() : 0;
        const writing = sink.write(buffers, slice.offset + received - length);
        if (timed && !writing) times.took('writing', times.clock() - began);
        return writing;
      },
      () => {
        for (const release of given) release();
        onBytes(length);
      },
    );
  }

  /** Runs work during which `length` bytes stay unwritten. */
  function track(length: number, work: () => void | Promise<void>, done: () => void): void {
    waiting += length;
    const over = (): void => {
      waiting -= length;
      done();
      if (failed) return;
      if (full && waiting < mostWaiting) {
        full = false;
        reckon();
        flow()?.resume();
      }
    };
    const working = work();
    if (!working) {
      over();
      return;
    }
    const tracked = working.then(over, (error: unknown) => {
      failed = true;
      flow()?.stop(error);
      throw error;
    });
    writes.add(tracked);
    tracked.then(
      () => writes.delete(tracked),
      () => {},
    );
  }

  const ahead = (): number => {
    // A small range fits into the kernel's buffers, so it is received at once, whether it is read or not.
    if (slice.length <= smallFileSize) return slice.length;
    return Math.min(mostAhead, limiter ? piecesAhead * limiter.piece() : mostAhead);
  };

  const enough = (): number => Math.min(stride, Math.max(mostAhead, limiter ? piecesToWrite * limiter.piece() : stride));

  /**
   * Charges the received bytes, and some in advance, to the limit. In one call, so that the longest waiter gets all it
   * needs first.
   */
  function pay(): void | Promise<void> {
    if (!limiter) return;
    const due = Math.min(slice.length, arrivedBytes + ahead()) - paid;
    if (due <= 0) return;
    paid += due;
    return limiter.take(due, signal);
  }

  return {
    mayBegin() {
      const pause = pay();
      if (pause) busyWith('limit');
      return pause;
    },
    asked: () => busyWith('server'),
    mostAtOnce: () => (limiter && limiter.piece() < Number.POSITIVE_INFINITY ? ahead() : Number.POSITIVE_INFINITY),
    enough,
    arrived(count) {
      arrivedBytes += count;
      const pause = pay();
      // Same backpressure as for a slow disk: the connection waits for the rate limit.
      if (pause)
        track(
          mostWaiting,
          () => {
            limited++;
            return pause.finally(() => {
              limited--;
            });
          },
          () => {},
        );
      full = waiting >= mostWaiting;
      reckon();
      return !full;
    },
    add(bytes, release) {
      received += bytes.length;
      if (received > slice.length) throw tooLong(slice);
      const timed = times.sampled();
      const began = timed ? times.clock() : 0;
      digest.update(bytes);
      if (timed) times.took('hashing', times.clock() - began);
      gathered.push(bytes);
      if (release) releases.push(release);
      gatheredBytes += bytes.length;
      // A borrowed buffer does not get fuller: collected with the next one, it would be idle until that one is full.
      if (release || gatheredBytes >= enough() || received === slice.length) flush();
      full = waiting >= mostWaiting;
      reckon();
      return !full;
    },
    async finish() {
      busyWith('writing');
      if (received < slice.length)
        throw new TransferError('cut', `The connection to the storage broke ${slice.length - received} bytes too early.`);
      await Promise.all(writes);
      return digest.end().blake3;
    },
    settled: () => Promise.allSettled(writes).finally(() => busyWith(null)),
  };
}

function tooLong(slice: Slice): TransferError {
  return new TransferError('wrong_answer', `The storage sent more than the ${slice.length} bytes that were asked for.`);
}
