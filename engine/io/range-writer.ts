import { MoveError } from '#client/errors.ts';
import type { Slice } from '#client/ports.ts';
import { stride } from './buffers.ts';
import { createSliceDigest } from './digests.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { DiskSink } from './sink.ts';
import { type Busy, type Timekeeper, untimed } from './time-split.ts';

export interface RangeWriterOptions {
  readonly sink: DiskSink;
  readonly slice: Slice;
  readonly limiter?: RateLimiter;
  /** Told what the range is busy with, from `mayBegin` until it is settled. */
  readonly times?: Timekeeper;
  readonly signal: AbortSignal;
  /** Bytes that the operating system has taken. */
  readonly onBytes: (count: number) => void;
  /** Where the bytes come from at the moment, to be resumed when there is room again, or stopped when writing failed. */
  readonly flow: () => Flow | null;
}

/** The connection that a range comes by, as far as its writer has a say. */
export interface Flow {
  resume(): void;
  /** Ends it; whoever waits for the range gets the reason. */
  stop(reason: unknown): void;
}

/** Gathers what comes of a range into strides, digests it and writes each stride where it belongs. */
export interface RangeWriter {
  /** Resolves, or returns at once, when the range may be asked for under its rate limit: its first bytes are paid for. */
  mayBegin(): void | Promise<void>;
  /** It is asked for now: an answer is due. */
  asked(): void;
  /** The most bytes to read in one go under the rate limit. */
  mostAtOnce(): number;
  /** How much is worth handing over before the range ends. */
  enough(): number;
  /** So many more bytes have come in. False asks for no more until the flow is resumed. */
  arrived(count: number): boolean;
  /**
   * Takes bytes over; they may not be changed any more before `release` is called, if ever. False asks for
   * no more until the flow is resumed. More bytes than the range has throw `wrong_answer`.
   */
  add(bytes: Buffer, release?: () => void): boolean;
  /** Waits until all is written; gives the BLAKE3 of it. Fewer bytes than the range has are `cut`. */
  finish(): Promise<string>;
  /** Resolves when nothing is being written any more, well or not. */
  settled(): Promise<unknown>;
}

/** Bytes on their way to the disk above which the connection has to wait. */
const mostWaiting = 2 * stride;
/**
 * Bytes that are paid for before they come, as many as one read may bring under a limit, and pieces that these are at
 * most. What has come cannot be sent back, so that paying afterwards would let through a read of every connection too much.
 * A range that the system's own buffers take in comes at once, whether it is read or not.
 */
const smallRange = 256 * 1024;
const mostAhead = 64 * 1024;
const piecesAhead = 8;
/** Pieces that are worth a write under a limit: whole strides would come seconds apart, and so would the progress. */
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

  /** While bytes come: what holds them up, if anything. */
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

  /** Runs work that keeps `length` bytes waiting. */
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
    if (slice.length <= smallRange) return slice.length;
    return Math.min(mostAhead, limiter ? piecesAhead * limiter.piece() : mostAhead);
  };

  const enough = (): number => Math.min(stride, Math.max(mostAhead, limiter ? piecesToWrite * limiter.piece() : stride));

  /** Pays for what has come in, and some bytes ahead of it. In one go, so that who waits longest has all it needs first. */
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
      // As if the disk were full up: the connection waits for the rate.
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
      // A buffer that is lent is as full as it gets: gathered with the next one, it would lie idle for as long as that takes to fill.
      if (release || gatheredBytes >= enough() || received === slice.length) flush();
      full = waiting >= mostWaiting;
      reckon();
      return !full;
    },
    async finish() {
      busyWith('writing');
      if (received < slice.length)
        throw new MoveError('cut', `The connection to the storage broke ${slice.length - received} bytes too early.`);
      await Promise.all(writes);
      return digest.end().blake3;
    },
    settled: () => Promise.allSettled(writes).finally(() => busyWith(null)),
  };
}

function tooLong(slice: Slice): MoveError {
  return new MoveError('wrong_answer', `The storage sent more than the ${slice.length} bytes that were asked for.`);
}
