import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../errors.ts';
import type { ObjectStorage } from '../ports.ts';
import { interceptCalls } from './intercept.ts';

interface RetryOptions {
  /** Attempts in all, with the first. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled for each later one, up to `greatestDelay`. */
  readonly firstDelay: number;
  readonly greatestDelay: number;
  /** From 0 up to 1; jitter, so that clients that failed together do not retry together. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

const defaults: RetryOptions = { attempts: 4, firstDelay: 200, greatestDelay: 3_000, random: Math.random, sleep };

/** Delay before attempt `attempt` (the second one is 2): half of the doubled delay, and a random share of the other half. */
export function retryDelay(attempt: number, { firstDelay, greatestDelay, random }: RetryOptions): number {
  const full = Math.min(firstDelay * 2 ** (attempt - 2), greatestDelay);
  return full / 2 + (random() * full) / 2;
}

/**
 * Retries failures that pass soon by themselves. Those that somebody has to fix, such as a full storage, are reported at
 * once: the caller decides whether to wait.
 */
export function withRetry(storage: ObjectStorage, options: Partial<RetryOptions> = {}): ObjectStorage {
  const rules = { ...defaults, ...options };
  return interceptCalls(storage, async (name, key, call) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // The attempt before may have begun an upload whose answer was lost: nobody else would ever end it.
        if (name === 'begin' && attempt > 1) await storage.abort(key);
        return await call();
      } catch (error) {
        const helps = error instanceof StorageError && error.retry === 'soon';
        if (!helps || attempt >= rules.attempts) throw error;
        await rules.sleep(retryDelay(attempt + 1, rules));
      }
    }
  });
}
