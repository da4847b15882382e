import { TransferError, type TransferErrorCode } from '#client/errors.ts';
import type { Gate } from '#client/ports.ts';
import type { Clock } from '../../ports.ts';
import { beginning, limitedBeginning, nextWidth } from './concurrency.ts';

export interface AdaptiveGateOptions {
  readonly clock: Clock;
  /** Bytes that have moved so far; only grows. */
  readonly moved: () => number;
  /** An upper bound on the concurrency; it may change at any time, e.g. with a speed limit. */
  readonly most: () => number;
  /** Bytes a second that a speed limit allows at this moment; 0 = no limit. */
  readonly allowed?: () => number;
  /** Called after each sample. */
  readonly looked?: () => void;
}

/** Adaptive concurrency: admits work up to a limit, and finds the best limit while the work runs. */
export interface AdaptiveGate {
  readonly gate: Gate;
  /** The current concurrency limit. */
  width(): number;
  /** Bytes a second per connection in the last sample that moved bytes; `null` if none has yet. */
  eachMoves(): number | null;
}

/** Milliseconds between two samples. Samples are taken only while work is in progress. */
const lookMs = 2_000;

/** Failures that lower concurrency may prevent. */
const shrinking: ReadonlySet<TransferErrorCode> = new Set(['unreachable', 'cut', 'stalled', 'storage_busy', 'storage_failed']);

/** This share of a speed limit counts as using all of it, because timers fire late. */
const asGoodAsAll = 0.85;

export function createAdaptiveGate({ clock, moved, most, allowed = () => 0, looked }: AdaptiveGateOptions): AdaptiveGate {
  let state = allowed() === 0 ? beginning : limitedBeginning;
  let eachMoves: number | null = null;
  let underWay = 0;
  let failures = 0;
  let movedBefore = 0;
  let lookedAt = 0;
  let cancelLook: (() => void) | null = null;
  const waiters: (() => void)[] = [];

  const width = (): number => Math.max(1, Math.min(state.width, most()));

  function admit(): void {
    while (waiters.length > 0 && underWay < width()) {
      underWay++;
      waiters.shift()!();
    }
  }

  function schedule(): void {
    movedBefore = moved();
    lookedAt = clock.now();
    cancelLook = clock.after(lookMs, look);
  }

  function look(): void {
    const seconds = Math.max(1, clock.now() - lookedAt) / 1_000;
    const bytesPerSecond = (moved() - movedBefore) / seconds;
    // If an external bound limits the concurrency, one more connection could not have shown a gain.
    const wanted = waiters.length > 0 && width() === state.width;
    const limit = allowed();
    const full = limit > 0 && bytesPerSecond >= limit * asGoodAsAll;
    if (bytesPerSecond > 0 && underWay > 0) eachMoves = smoothed(eachMoves, bytesPerSecond / underWay);
    state = nextWidth(state, { bytesPerSecond, failures, wanted, full });
    failures = 0;
    schedule();
    admit();
    looked?.();
  }

  async function enter(): Promise<void> {
    if (waiters.length === 0 && underWay < width()) underWay++;
    else await new Promise<void>((resolve) => waiters.push(resolve));
    if (!cancelLook) schedule();
  }

  function leave(): void {
    underWay--;
    admit();
    if (underWay > 0) return;
    cancelLook?.();
    cancelLook = null;
  }

  return {
    async gate(work) {
      await enter();
      try {
        return await work();
      } catch (error) {
        if (error instanceof TransferError && shrinking.has(error.code)) failures++;
        throw error;
      } finally {
        leave();
      }
    },
    width,
    eachMoves: () => eachMoves,
  };
}

const smoothed = (before: number | null, now: number): number => (before === null ? now : (before + now) / 2);
