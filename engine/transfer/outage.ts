import { type Backoff, backoffDelay } from '#client/backoff.ts';
import { MoveError } from '#client/errors.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Alarm } from './alarm.ts';

/** The other sides of a transfer; one may be there while the other is not. */
export type Far = 'service' | 'storage';

/**
 * While the network is gone, one of the many that wait in a transfer looks for it every few seconds, for hours if need
 * be, and the others are told when it is back. If all looked as often, a service that has just come back would be asked
 * by everybody at once.
 */
export interface Outage {
  /** Whether whoever asks is to look; it is nobody else's turn then, until `over`. */
  volunteer(gone: Far): boolean;
  /** Somebody has answered. Where that is who was looked for, it is over, however long the work then takes. */
  answered(by: Far): void;
  /** The one who looked has been answered, or gives up: the others try for themselves. */
  over(): void;
  /** Waits so many milliseconds, or until it is over. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const often: Backoff = { first: 1_000, most: 5_000 };

/** @param alarm one of its own: who waits for anything else than the network is not to be woken */
export function createOutage(alarm: Alarm): Outage {
  let lookedFor: Far | null = null;
  const over = (): void => {
    lookedFor = null;
    alarm.wake();
  };
  return {
    volunteer(gone) {
      if (lookedFor) return false;
      lookedFor = gone;
      return true;
    },
    answered(by) {
      if (lookedFor === by) over();
    },
    over,
    sleep: alarm.sleep,
  };
}

/** Milliseconds until the one who looks tries again. */
export function lookAgain(failures: number, random: () => number): number {
  return backoffDelay(failures, random, often);
}

/** Who did not answer at all, if that is what failed. */
export function goneFrom(error: unknown): Far | null {
  if (error instanceof MoveError) return error.code === 'unreachable' ? 'storage' : null;
  return error instanceof ApiError && error.error === 'service_unreachable' ? 'service' : null;
}
