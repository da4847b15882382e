import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../errors.ts';
import type { ObjectStorage } from '../ports.ts';
import { aroundCalls } from './around.ts';

export interface RetryOptions {
  /** Tries in all. */
  readonly attempts: number;
  /** Milliseconds before the second try; doubled for each one after, up to `greatestDelay`. */
  readonly firstDelay: number;
  readonly greatestDelay: number;
  /** 0 up to 1; spreads those who failed together. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

const defaults: RetryOptions = { attempts: 4, firstDelay: 200, greatestDelay: 3_000, random: Math.random, sleep };

/** How long to wait before try `attempt` (the second one is 2): half of the doubled delay, and a random share of the other half. */
export function retryDelay(attempt: number, { firstDelay, greatestDelay, random }: RetryOptions): number {
  const full = Math.min(firstDelay * 2 ** (attempt - 2), greatestDelay);
  return full / 2 + (random() * full) / 2;
}

/** Asks again when the storage was not there. A full or read-only one is told at once: waiting is the caller's decision. */
export function withRetry(storage: ObjectStorage, options: Partial<RetryOptions> = {}): ObjectStorage {
  const rules = { ...defaults, ...options };
  return aroundCalls(storage, async (_name, _key, call) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        const helps = error instanceof StorageError && error.code === 'storage_unavailable';
        if (!helps || attempt >= rules.attempts) throw error;
        await rules.sleep(retryDelay(attempt + 1, rules));
      }
    }
  });
}
