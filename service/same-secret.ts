import { timingSafeEqual } from 'node:crypto';

/** Constant-time comparison. It reveals only whether the lengths are equal, so it is for secrets of one length. */
export function sameSecret(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
