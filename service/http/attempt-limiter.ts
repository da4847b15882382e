import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';
import { ApiError } from '#protocol/errors.ts';
import { addOne, type Bucket, secondsOverLimit } from './leaky-bucket.ts';
import type { SharedBuckets } from './shared-buckets.ts';

/** Makes guessing of secrets that people choose impractical, by counting wrong answers. Right answers are not counted. */
export interface AttemptLimiter {
  /**
   * Runs a comparison, and counts it for each subject when it fails. `rate_limited` (429), without comparing, when a
   * subject has had too many wrong answers. Comparisons in progress count as wrong, so that sending many at once
   * gains nothing.
   */
  attempt(subjects: readonly AttemptSubject[], compare: () => Promise<boolean>): Promise<boolean>;
}

/** What is being guessed at, e.g. an account, or an account from one address. */
export interface AttemptSubject {
  readonly name: string;
  /** A multiple of the usual burst limit for this subject; 1 by default. */
  readonly burstFactor?: number;
  /** A multiple of the usual rate at which wrong answers are forgotten; 1 by default. */
  readonly drainFactor?: number;
  /** Set where anybody can make up such subjects: they share a bounded number of slots of this kind (buckets.ts). */
  readonly slotKind?: string;
}

export interface AttemptLimit {
  /** Burst size: wrong answers allowed at once. */
  readonly max: number;
  /** The time in which `max` wrong answers are forgotten, one by one. */
  readonly windowSeconds: number;
}

/** Ten, then one more each half hour: 58 in the first day, 48 in each that follows (docs/decisions/0041). */
export const defaultAttemptLimit: AttemptLimit = { max: 10, windowSeconds: 5 * 3600 };

/** Counts in memory. Beyond `subjects` subjects, the least recently used are evicted. */
export function createAttemptLimiter(limit: AttemptLimit, now: () => Date, subjects = 100_000): AttemptLimiter {
  const counted = new LRUCache<string, { until: number }>(maxEntries(subjects));
  return {
    async attempt(asked, compare) {
      const at = now().getTime();
      const entries = asked.map((subject) => {
        const bucket = bucketFor(subject, limit);
        return { bucket, until: addOne(counted.get(bucket.name)?.until ?? 0, at, bucket) };
      });
      const seconds = Math.max(0, ...entries.map(({ bucket, until }) => secondsOverLimit(until, at, bucket)));
      if (seconds > 0) throw new ApiError('rate_limited', { seconds });
      for (const { bucket, until } of entries) counted.set(bucket.name, { until });
      let wrong = false;
      try {
        const right = await compare();
        wrong = !right;
        return right;
      } finally {
        const end = now().getTime();
        for (const { bucket, until } of entries) {
          const count = counted.get(bucket.name);
          if (!wrong && count && until > end) count.until -= bucket.millisecondsEach;
        }
      }
    },
  };
}

/**
 * Counts for all processes of one database combined. Subjects that this process alone already rejects cause no
 * database query.
 */
export function createSharedAttemptLimiter(buckets: SharedBuckets, limit: AttemptLimit, now: () => Date): AttemptLimiter {
  const ofThisProcess = createAttemptLimiter(limit, now);
  return {
    attempt: (subjects, compare) =>
      ofThisProcess.attempt(subjects, async () => {
        const taken = await buckets.takeAll(subjects.map((subject) => bucketFor(subject, limit)));
        let wrong = false;
        try {
          const right = await compare();
          wrong = !right;
          return right;
        } finally {
          if (!wrong) await buckets.giveBack(taken);
        }
      }),
  };
}

function bucketFor({ name, burstFactor = 1, drainFactor = 1, slotKind }: AttemptSubject, { max, windowSeconds }: AttemptLimit): Bucket {
  const millisecondsEach = Math.round((windowSeconds * 1_000) / max / drainFactor);
  return { name, max: max * burstFactor, millisecondsEach, ...(slotKind !== undefined && { slotKind }) };
}
