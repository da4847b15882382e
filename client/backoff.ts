export interface Backoff {
  /** Milliseconds before the second attempt; each later delay is twice the one before. */
  readonly first: number;
  /** Milliseconds at most. */
  readonly most: number;
}

/** Backoff between a transfer's attempts: a service may be unavailable for hours. */
export const patient: Backoff = { first: 1_000, most: 60_000 };

/** Backoff between the attempts of one request: a short network problem is over within seconds. */
export const brisk: Backoff = { first: 200, most: 3_000 };

/**
 * Delay after the `failures`-th failure in a row (1, 2, …), in whole milliseconds. Exponential up to `most`, with a
 * random reduction (jitter) of up to half, so that many clients do not retry at the same moment. `random` returns a
 * number from 0 up to 1.
 */
export function backoffDelay(failures: number, random: () => number, { first, most }: Backoff = patient): number {
  const doubled = Math.min(most, first * 2 ** Math.min(Math.max(failures, 1) - 1, 30));
  return Math.round(doubled * (1 - random() / 2));
}
