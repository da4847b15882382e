import { LRUCache } from 'lru-cache';
import { ApiError } from '#protocol/errors.ts';
import { atMost } from '../at-most.ts';

/** Makes guessing secrets that people choose hopeless, by counting wrong answers. Right ones cost nothing. */
export interface Guesses {
  /**
   * Runs a comparison, counting it for each subject when it fails. `rate_limited` (429), without comparing,
   * when a subject has had too many wrong ones; comparisons under way count as wrong, so that sending many at
   * once gains nothing.
   */
  judge(subjects: readonly GuessSubject[], compare: () => Promise<boolean>): Promise<boolean>;
}

/** What is being guessed at, e.g. an account, or an account from one address. */
export interface GuessSubject {
  readonly name: string;
  /** How many times the usual limit this subject may have; 1 unless given. */
  readonly allowance?: number;
}

export interface GuessLimit {
  /** Wrong answers allowed in a window. */
  readonly max: number;
  readonly windowSeconds: number;
}

export const defaultGuessLimit: GuessLimit = { max: 10, windowSeconds: 900 };

interface Count {
  wrong: number;
  underWay: number;
  /** Milliseconds since 1970. */
  until: number;
}

/** Counts in memory; subjects beyond `subjects` push out those not seen for longest. */
export function createGuesses(limit: GuessLimit, now: () => Date, subjects = 100_000): Guesses {
  const counts = new LRUCache<string, Count>(atMost(subjects));
  const countOf = (name: string): Count => {
    const known = counts.get(name);
    if (known && (known.until > now().getTime() || known.underWay > 0)) return known;
    const fresh = { wrong: 0, underWay: 0, until: now().getTime() + limit.windowSeconds * 1000 };
    counts.set(name, fresh);
    return fresh;
  };
  return {
    async judge(asked, compare) {
      const entries = asked.map(({ name, allowance = 1 }) => ({ count: countOf(name), max: limit.max * allowance }));
      const spent = entries.find(({ count, max }) => count.wrong + count.underWay >= max);
      if (spent) throw new ApiError('rate_limited', { seconds: Math.max(1, Math.ceil((spent.count.until - now().getTime()) / 1000)) });
      for (const { count } of entries) count.underWay += 1;
      try {
        const right = await compare();
        if (!right) for (const { count } of entries) count.wrong += 1;
        return right;
      } finally {
        for (const { count } of entries) count.underWay -= 1;
      }
    },
  };
}
