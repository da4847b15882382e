/**
 * A token bucket stored as two times, so that a rate change needs no conversion: granted bytes are paid off at
 * `freeAt`. Times in milliseconds. Arithmetic only; `rate-limit.ts` does the waiting.
 */
interface Bucket {
  readonly freeAt: number;
  /** Time of the last update. */
  readonly seen: number;
}

/**
 * Burst: how much unused time may be made up for. Timers fire late, and later if other programs use the processor. Over
 * ten seconds it is 2 %.
 */
export const burstMs = 200;
/** Duration of one piece, so that a slow rate is steady. */
const pieceMs = 20;
const leastPiece = 256;
const largestPiece = 256 * 1024;

export const emptyBucket = (now: number): Bucket => ({ freeAt: now, seen: now });

/**
 * The bucket at this time. A clock that was set back, or forward by more than the burst, neither blocks nor admits
 * extra bytes.
 */
export function seenAt({ freeAt, seen }: Bucket, now: number): Bucket {
  const since = now < seen ? freeAt - (seen - now) : freeAt;
  return { freeAt: Math.max(since, now - burstMs), seen: now };
}

/** Milliseconds until the next bytes may move; 0 or less: they may now. */
export function waitOf({ freeAt, seen }: Bucket): number {
  return freeAt - seen;
}

/** The bucket after this many bytes, at a rate in bytes a second. */
export function spend({ freeAt, seen }: Bucket, bytes: number, rate: number): Bucket {
  return { freeAt: freeAt + (bytes * 1_000) / rate, seen };
}

/** Maximum bytes to admit at once, at a rate in bytes a second. */
export function pieceOf(rate: number): number {
  return Math.min(largestPiece, Math.max(leastPiece, Math.floor((rate * pieceMs) / 1_000)));
}
