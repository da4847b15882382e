/**
 * A token bucket as two times, so that a change of the rate leaves nothing to convert: what was granted is paid for
 * until `freeAt`. Times in milliseconds. Everything here is arithmetic; `rate-limit.ts` does the waiting.
 */
export interface Bucket {
  readonly freeAt: number;
  /** When it was last looked at. */
  readonly seen: number;
}

/**
 * How much of the past may be made up for: timers come late, by more where other programs have the processor. Over ten
 * seconds it is 2 %.
 */
export const burstMs = 200;
/** What moves in one go lasts so long, so that a slow rate is a steady one. */
const pieceMs = 20;
const leastPiece = 256;
const largestPiece = 256 * 1024;

export const emptyBucket = (now: number): Bucket => ({ freeAt: now, seen: now });

/** The bucket at this time. A clock that was set back, or forward by more than the burst, neither holds up nor lets through. */
export function seenAt({ freeAt, seen }: Bucket, now: number): Bucket {
  const since = now < seen ? freeAt - (seen - now) : freeAt;
  return { freeAt: Math.max(since, now - burstMs), seen: now };
}

/** Milliseconds until the next bytes may move; 0 or less: they may. */
export function waitOf({ freeAt, seen }: Bucket): number {
  return freeAt - seen;
}

/** After so many bytes were let through, at a rate in bytes a second. */
export function spend({ freeAt, seen }: Bucket, bytes: number, rate: number): Bucket {
  return { freeAt: freeAt + (bytes * 1_000) / rate, seen };
}

/** The most bytes to let through in one go at a rate in bytes a second. */
export function pieceOf(rate: number): number {
  return Math.min(largestPiece, Math.max(leastPiece, Math.floor((rate * pieceMs) / 1_000)));
}
