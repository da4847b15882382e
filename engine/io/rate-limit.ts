import type { Clock } from '../ports.ts';
import { emptyBucket, pieceOf, seenAt, spend, waitOf } from './token-bucket.ts';

/** Slows transfers down to a rate. Where nothing is limited it costs a comparison. */
export interface RateLimiter {
  /** Bytes to take at a time at most, so that the rate is a steady one; `Infinity` where nothing is limited. */
  piece(): number;
  /** Resolves, or returns at once, when so many more bytes may move. Rejects when the signal fires. */
  take(bytes: number, signal: AbortSignal): void | Promise<void>;
}

/** A limiter whose limit may change at any time. */
export interface Throttle extends RateLimiter {
  /** The limit may be another one now: whoever waits is looked at anew. */
  changed(): void;
  /** Bytes a second at this moment; 0 = no limit. */
  rate(): number;
}

/** What holds at a time, and until when at least. Milliseconds since 1970. */
export interface Limit {
  /** 0 = no limit. */
  readonly bytesPerSecond: number;
  readonly until: number;
}

export interface ThrottleOptions {
  readonly clock: Clock;
  readonly limitAt: (now: number) => Limit;
}

interface Waiter {
  readonly bytes: number;
  readonly go: () => void;
}

/** First come, first served. */
export function createThrottle({ clock, limitAt }: ThrottleOptions): Throttle {
  let limit = limitAt(clock.now());
  let piece = pieceAt(limit);
  let bucket = emptyBucket(clock.now());
  let cancelTimer: (() => void) | null = null;
  const waiters: Waiter[] = [];

  function look(now: number): void {
    limit = limitAt(now);
    piece = pieceAt(limit);
    // What moves without a limit is not held against anybody later.
    if (limit.bytesPerSecond === 0) bucket = emptyBucket(now);
  }

  /** Milliseconds until the next bytes may move; 0: they may. */
  function waits(): number {
    const now = clock.now();
    // A clock that was set back would else keep an old answer until it has caught up.
    if (now >= limit.until || now < bucket.seen) look(now);
    bucket = seenAt(bucket, now);
    if (limit.bytesPerSecond === 0) return 0;
    return Math.max(0, Math.min(waitOf(bucket), limit.until - now));
  }

  function grant(bytes: number): void {
    if (limit.bytesPerSecond > 0) bucket = spend(bucket, bytes, limit.bytesPerSecond);
  }

  function pump(): void {
    cancelTimer?.();
    cancelTimer = null;
    while (waiters.length > 0) {
      const milliseconds = waits();
      if (milliseconds > 0) {
        cancelTimer = clock.after(Math.ceil(milliseconds), () => {
          cancelTimer = null;
          pump();
        });
        return;
      }
      const first = waiters.shift()!;
      grant(first.bytes);
      first.go();
    }
  }

  function wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = (): void => {
        waiters.splice(waiters.indexOf(waiter), 1);
        reject(signal.reason);
        pump();
      };
      const waiter: Waiter = {
        bytes,
        go() {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      waiters.push(waiter);
      signal.addEventListener('abort', abort, { once: true });
      if (waiters.length === 1) pump();
    });
  }

  return {
    piece: () => piece,
    take(bytes, signal) {
      if (limit.bytesPerSecond === 0 && limit.until === Number.POSITIVE_INFINITY) return;
      if (waiters.length > 0 || waits() > 0) return wait(bytes, signal);
      grant(bytes);
    },
    changed() {
      look(clock.now());
      pump();
    },
    rate: () => limit.bytesPerSecond,
  };
}

const pieceAt = ({ bytesPerSecond }: Limit): number => (bytesPerSecond === 0 ? Number.POSITIVE_INFINITY : pieceOf(bytesPerSecond));

/** Both limits hold, a transfer's own and the whole's. Its own first: a slow transfer so takes no other one's turn. */
export function bothLimits(own: RateLimiter, whole: RateLimiter): RateLimiter {
  return {
    piece: () => Math.min(own.piece(), whole.piece()),
    take(bytes, signal) {
      const pause = own.take(bytes, signal);
      return pause ? pause.then(() => whole.take(bytes, signal)) : whole.take(bytes, signal);
    },
  };
}
