import { LRUCache } from 'lru-cache';
import { ApiError } from '#protocol/errors.ts';

/**
 * Makes guessing hopeless: counts wrong answers per subject (an account, a link, an access code) and refuses
 * more once there were too many, right or wrong. Right answers cost nothing.
 */
export interface Guesses {
  /** Call before comparing a secret that people choose. `rate_limited` (429) when there were too many wrong ones. */
  check(subject: string): void;
  /** Call when the comparison failed. */
  failed(subject: string): void;
}

export interface GuessLimit {
  /** Wrong answers allowed in a window. */
  readonly max: number;
  readonly windowSeconds: number;
}

/** Counts in memory; subjects beyond `subjects` push out those not seen for longest. */
export function createGuesses(limit: GuessLimit, now: () => Date, subjects = 100_000): Guesses {
  const wrong = new LRUCache<string, { count: number; until: number }>({ max: subjects });
  const standing = (subject: string) => {
    const entry = wrong.get(subject);
    return entry && entry.until > now().getTime() ? entry : undefined;
  };
  return {
    check(subject) {
      const entry = standing(subject);
      if (entry && entry.count >= limit.max) {
        throw new ApiError('rate_limited', { seconds: Math.ceil((entry.until - now().getTime()) / 1000) });
      }
    },
    failed(subject) {
      const entry = standing(subject);
      if (entry) entry.count += 1;
      else wrong.set(subject, { count: 1, until: now().getTime() + limit.windowSeconds * 1000 });
    },
  };
}
