import { MoveError, type MoveErrorCode } from '#client/errors.ts';
import type { Gate } from '#client/ports.ts';
import type { Clock } from '../ports.ts';
import { beginning, nextWidth } from './width.ts';

export interface AdaptiveGateOptions {
  readonly clock: Clock;
  /** Bytes that have moved so far; only grows. */
  readonly moved: () => number;
  /** An upper bound that may change at any time, e.g. by a speed limit. */
  readonly most: () => number;
}

/** Lets work begin when there is room, and finds out how much room is best while it runs. */
export interface AdaptiveGate {
  readonly gate: Gate;
  /** How many may be under way at this moment. */
  width(): number;
}

/** Milliseconds between two looks. Only while work is under way. */
const lookMs = 2_000;

/** What fewer connections may help against. */
const shrinking: ReadonlySet<MoveErrorCode> = new Set(['unreachable', 'cut', 'stalled', 'storage_busy', 'storage_failed']);

export function createAdaptiveGate({ clock, moved, most }: AdaptiveGateOptions): AdaptiveGate {
  let state = beginning;
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
    // Where a bound from outside holds, another connection could not have shown what it is worth.
    const wanted = waiters.length > 0 && width() === state.width;
    state = nextWidth(state, { bytesPerSecond, failures, wanted });
    failures = 0;
    schedule();
    admit();
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
        if (error instanceof MoveError && shrinking.has(error.code)) failures++;
        throw error;
      } finally {
        leave();
      }
    },
    width,
  };
}
