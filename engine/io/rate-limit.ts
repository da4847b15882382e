import type { Clock } from '../ports.ts';
import { createFairQueue, type Flow } from './fair-queue.ts';
import { emptyBucket, pieceOf, seenAt, spend, waitOf } from './token-bucket.ts';

/** Limits transfers to a rate. Without a limit it costs one comparison. */
export interface RateLimiter {
  /** Maximum bytes to take at a time, so that the rate is steady; `Infinity` without a limit. */
  piece(): number;
  /** Resolves, or returns at once, when this many more bytes may move. Rejects when the signal fires. */
  take(bytes: number, signal: AbortSignal): void | Promise<void>;
  /** Bytes a second at this moment; 0 = no limit. */
  rate(): number;
}

/** A limiter whose limit may change at any time. */
export interface Throttle extends RateLimiter {
  /** The limit may have changed: all waiters are checked again. */
  changed(): void;
  /**
   * A limiter for one of several that share this limit fairly, by their current weights. Its `rate` is its share among
   * those that were recently active.
   */
  share(weight: () => number): RateLimiter;
}

/** The limit at a time, and the earliest time at which it may change. Milliseconds since 1970. */
export interface Limit {
  /** 0 = no limit. */
  readonly bytesPerSecond: number;
  readonly until: number;
}

interface ThrottleOptions {
  readonly clock: Clock;
  readonly limitAt: (now: number) => Limit;
}

interface Waiter {
  readonly bytes: number;
  readonly go: () => void;
}

/** Flows that were active within this time share the limit. */
const ofLateMs = 2_000;

/** Fair between the flows that share it; first come, first served within each flow. */
export function createThrottle({ clock, limitAt }: ThrottleOptions): Throttle {
  let limit = limitAt(clock.now());
  let piece = pieceAt(limit);
  let bucket = emptyBucket(clock.now());
  let cancelTimer: (() => void) | null = null;
  const waiters = createFairQueue<Waiter>();
  /** When each flow last asked. */
  const lastAsked = new Map<Flow<Waiter>, number>();
  const everybody = waiters.flow(() => 1);

  function look(now: number): void {
    limit = limitAt(now);
    piece = pieceAt(limit);
    // Bytes moved without a limit are not charged later.
    if (limit.bytesPerSecond === 0) bucket = emptyBucket(now);
  }

  /** Milliseconds until the next bytes may move; 0: they may now. */
  function waits(): number {
    const now = clock.now();
    // If the clock was set back, an old answer would otherwise stay valid until the clock has caught up.
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

  function wait(flow: Flow<Waiter>, bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = (): void => {
        flow.remove(waiter);
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
      flow.push(waiter);
      signal.addEventListener('abort', abort, { once: true });
      if (waiters.length === 1) pump();
    });
  }

  const take = (flow: Flow<Waiter>, bytes: number, signal: AbortSignal): void | Promise<void> => {
    if (limit.bytesPerSecond === 0 && limit.until === Number.POSITIVE_INFINITY) return;
    if (flow !== everybody) lastAsked.set(flow, clock.now());
    if (waiters.length > 0 || waits() > 0) return wait(flow, bytes, signal);
    grant(bytes);
    flow.had(bytes);
  };

  /** The weights of recently active flows. */
  const weightOfLate = (): number => {
    const from = clock.now() - ofLateMs;
    let sum = 0;
    for (const [flow, at] of lastAsked) {
      if (at < from) lastAsked.delete(flow);
      else sum += flow.weight();
    }
    return sum;
  };

  return {
    piece: () => piece,
    take: (bytes, signal) => take(everybody, bytes, signal),
    changed() {
      look(clock.now());
      pump();
    },
    rate: () => limit.bytesPerSecond,
    share(weight) {
      const flow = waiters.flow(weight);
      return {
        piece: () => piece,
        take: (bytes, signal) => take(flow, bytes, signal),
        rate() {
          const all = weightOfLate();
          const others = lastAsked.has(flow) ? all - weight() : all;
          return (limit.bytesPerSecond * weight()) / (weight() + others);
        },
      };
    },
  };
}

const pieceAt = ({ bytesPerSecond }: Limit): number => (bytesPerSecond === 0 ? Number.POSITIVE_INFINITY : pieceOf(bytesPerSecond));

/**
 * Both limits apply, the transfer's own and the global one. Its own is taken first, so that a slow transfer does not
 * take the turn of another.
 */
export function bothLimits(own: RateLimiter, whole: RateLimiter): RateLimiter {
  return {
    piece: () => Math.min(own.piece(), whole.piece()),
    take(bytes, signal) {
      const pause = own.take(bytes, signal);
      return pause ? pause.then(() => whole.take(bytes, signal)) : whole.take(bytes, signal);
    },
    rate() {
      const [one, other] = [own.rate(), whole.rate()];
      return one === 0 || other === 0 ? one + other : Math.min(one, other);
    },
  };
}
