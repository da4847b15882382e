import { lowersConcurrency } from '#client/faults.ts';
import type { Gate } from '#client/ports.ts';
import type { Clock } from '../../ports.ts';
import { type ConcurrencyState, initialState, initialStateWhenFar, initialStateWhenThrottled, nextConcurrency } from './concurrency.ts';
import { farRoundTripMs } from './limits.ts';

interface AdaptiveConcurrencyOptions {
  readonly clock: Clock;
  /** Bytes that have moved so far; only grows. */
  readonly moved: () => number;
  /** An upper bound on the concurrency; it may change at any time, e.g. with a speed limit. */
  readonly max: () => number;
  /** Bytes a second that a speed limit allows at this moment; 0 = no limit. */
  readonly allowed?: () => number;
  /** Milliseconds of the line's round trip; `null` if not known. Asked before the first work is admitted. */
  readonly roundTripMs?: () => number | null;
  /** Called after each sample. */
  readonly sampled?: () => void;
}

/** Adaptive concurrency: admits work up to a limit, and finds the best limit while the work runs. */
interface AdaptiveConcurrency {
  readonly gate: Gate;
  /** The current concurrency limit. */
  limit(): number;
  /**
   * Bytes a second per connection in the last samples that moved bytes; `null` if none has yet. In the slow start, samples of
   * connections that still open their windows do not count.
   */
  connectionSpeed(): number | null;
}

/** Milliseconds between two samples. Samples are taken only while work is in progress. */
const sampleMs = 2_000;
/** In the slow start a sample is as long as a new connection takes to open its window: ten segments double to 4 MiB in eight round trips. */
const slowStartSample = { roundTrips: 8, leastMs: 500 } as const;

/** This share of a speed limit counts as using all of it, because timers fire late. */
const usesAllFrom = 0.85;

export function createAdaptiveConcurrency({
  clock,
  moved,
  max,
  allowed = () => 0,
  roundTripMs = () => null,
  sampled,
}: AdaptiveConcurrencyOptions): AdaptiveConcurrency {
  let state = initial();
  let started = false;
  let connectionSpeed: number | null = null;
  let underWay = 0;
  let failures = 0;
  /** Whether some connections were new when the sample began. */
  let opening = true;
  let movedBefore = 0;
  let sampledAt = 0;
  let cancelSample: (() => void) | null = null;
  const waiters: (() => void)[] = [];

  function initial(): ConcurrencyState {
    if (allowed() > 0) return initialStateWhenThrottled;
    return (roundTripMs() ?? 0) >= farRoundTripMs ? initialStateWhenFar : initialState;
  }

  const limit = (): number => Math.max(1, Math.min(state.limit, max()));

  function startWaiting(): void {
    while (waiters.length > 0 && underWay < limit()) {
      underWay++;
      waiters.shift()!();
    }
  }

  function schedule(): void {
    movedBefore = moved();
    sampledAt = clock.now();
    const { roundTrips, leastMs } = slowStartSample;
    const wait = state.slowStart ? Math.min(sampleMs, Math.max(leastMs, (roundTripMs() ?? 0) * roundTrips)) : sampleMs;
    cancelSample = clock.after(wait, sample);
  }

  function sample(): void {
    const seconds = Math.max(1, clock.now() - sampledAt) / 1_000;
    const bytesPerSecond = (moved() - movedBefore) / seconds;
    // If an external bound limits the concurrency, one more connection could not have shown a gain.
    const wanted = waiters.length > 0 && limit() === state.limit;
    const throttle = allowed();
    const full = throttle > 0 && bytesPerSecond >= throttle * usesAllFrom;
    const opened = !(state.slowStart && opening);
    if (opened && bytesPerSecond > 0 && underWay > 0) connectionSpeed = smoothed(connectionSpeed, bytesPerSecond / underWay);
    const limitBefore = state.limit;
    state = nextConcurrency(state, { bytesPerSecond, failures, wanted, full });
    opening = state.limit > limitBefore;
    failures = 0;
    schedule();
    startWaiting();
    sampled?.();
  }

  async function enter(): Promise<void> {
    // By now calls have been made, which tell how far the line is.
    if (!started) state = initial();
    started = true;
    if (waiters.length === 0 && underWay < limit()) underWay++;
    else await new Promise<void>((resolve) => waiters.push(resolve));
    if (!cancelSample) schedule();
  }

  function leave(): void {
    underWay--;
    startWaiting();
    if (underWay > 0) return;
    cancelSample?.();
    cancelSample = null;
  }

  return {
    async gate(work) {
      await enter();
      try {
        return await work();
      } catch (error) {
        if (lowersConcurrency(error)) failures++;
        throw error;
      } finally {
        leave();
      }
    },
    limit,
    connectionSpeed: () => connectionSpeed,
  };
}

const smoothed = (before: number | null, now: number): number => (before === null ? now : (before + now) / 2);
