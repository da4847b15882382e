/**
 * Leaky buckets: a burst of `max`, then one more each time one has drained. Unlike fixed windows, they never lock
 * somebody out until an hour is over. In a day they let through `max` plus a day's worth of `millisecondsEach`.
 */
export interface Bucket {
  /** The subject that is counted. */
  readonly name: string;
  /** Burst size. */
  readonly max: number;
  /** The time after which one has drained. */
  readonly millisecondsEach: number;
  /**
   * For buckets whose names anybody can make up: the number of buckets of each such kind is bounded. Names share
   * slots by a keyed hash, so that nobody can choose whose bucket to share.
   */
  readonly slotKind?: string;
}

/** A bucket is stored as one moment: when it will be empty. Milliseconds since 1970. */
export const addOne = (emptyAt: number, at: number, { millisecondsEach }: Bucket): number => Math.max(emptyAt, at) + millisecondsEach;

/** Seconds until one more fits; 0 if the bucket is not over its limit. `emptyAt` already includes the request in question. */
export function secondsOverLimit(emptyAt: number, at: number, { max, millisecondsEach }: Bucket): number {
  const over = emptyAt - at - max * millisecondsEach;
  return over > 0 ? Math.ceil(over / 1_000) : 0;
}
