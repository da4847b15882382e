import { type Backoff, backoffDelay } from '#client/backoff.ts';
import { TransferError } from '#client/errors.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Waker } from './waker.ts';

/** The remote sides of a transfer; one may be reachable while the other is not. */
type Far = 'service' | 'storage';

/**
 * During a network outage only one of a transfer's many waiters probes every few seconds, for hours if needed, and the
 * others are told when it is over. If all probed as often, they would overload a service that has just recovered.
 */
export interface Outage {
  /** Whether the caller becomes the prober; nobody else does until `over`. */
  volunteer(gone: Far): boolean;
  /** This side has answered. If it is the missing one, the outage is over, however long the work then takes. */
  answered(by: Far): void;
  /** The prober got an answer or gives up: the others try for themselves. */
  over(): void;
  /** Waits this long, or until the outage is over. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const often: Backoff = { first: 1_000, most: 5_000 };

/** @param waker a waker of its own, since only waiters for the network may be woken */
export function createOutage(waker: Waker): Outage {
  let lookedFor: Far | null = null;
  const over = (): void => {
    lookedFor = null;
    waker.wake();
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
    sleep: waker.sleep,
  };
}

/** Milliseconds until the prober tries again. */
export function probeDelay(failures: number, random: () => number): number {
  return backoffDelay(failures, random, often);
}

/** Which side did not answer, if that is the failure. */
export function goneFrom(error: unknown): Far | null {
  if (error instanceof TransferError) return error.code === 'unreachable' ? 'storage' : null;
  return error instanceof ApiError && error.error === 'service_unreachable' ? 'service' : null;
}
