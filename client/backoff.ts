export interface Backoff {
  /** Milliseconds before the second attempt; doubles from there. */
  readonly first: number;
  /** Milliseconds at most. */
  readonly most: number;
}

/** Between transfers' attempts, where a service may be away for hours. */
export const patient: Backoff = { first: 1_000, most: 60_000 };

/** Within one request's own attempts, where a hiccup is over at once or is no hiccup. */
export const brisk: Backoff = { first: 200, most: 3_000 };

/**
 * How long to wait after the `failures`-th failure in a row (1, 2, …), in whole milliseconds.
 * Doubles up to the most, less up to half at random, so that many waiters do not come back at once.
 * `random` gives a number from 0 up to 1.
 */
export function backoffDelay(failures: number, random: () => number, { first, most }: Backoff = patient): number {
  const doubled = Math.min(most, first * 2 ** Math.min(Math.max(failures, 1) - 1, 30));
  return Math.round(doubled * (1 - random() / 2));
}
