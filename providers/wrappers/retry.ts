import { setTimeout as wait } from 'node:timers/promises';
import { ProviderError } from '../errors.ts';
import type { CloudProvider } from '../ports.ts';
import { aroundCalls } from './around.ts';

export interface RetryOptions {
  /** Attempts in all, with the first. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled for each later one, up to `greatestDelay`. */
  readonly firstDelay: number;
  readonly greatestDelay: number;
  /** From 0 up to 1; jitter, so that transfers that failed together do not try again together. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

const defaults: RetryOptions = {
  attempts: 6,
  firstDelay: 200,
  greatestDelay: 10_000,
  random: Math.random,
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};

/** Milliseconds after failure `failures` (1, 2, …): at least what the provider asked for, and backoff with jitter. */
export function retryDelay(failures: number, retryAfter: number, { firstDelay, greatestDelay, random }: RetryOptions): number {
  const full = Math.min(firstDelay * 2 ** (failures - 1), greatestDelay);
  // Jitter is added to what was asked for: all who were told the same second would come in it.
  return Math.max(full / 2, retryAfter) + (random() * full) / 2;
}

/**
 * Tries again what passes by itself, after a pause, and once after `renew` what was over: a token, an address, a region. All
 * calls of the port may be made again. What somebody has to act on is told at once.
 */
export function withRetry(provider: CloudProvider, options: Partial<RetryOptions> = {}): CloudProvider {
  const rules = { ...defaults, ...options };
  return aroundCalls(provider, async ({ run, signal }) => {
    let renewed = false;
    for (let failures = 1; ; failures++) {
      try {
        return await run();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError)) throw error;
        if (error.retry === 'renew' && !renewed) {
          renewed = true;
          provider.renew();
          continue;
        }
        if (error.retry !== 'soon' || failures >= rules.attempts) throw error;
        try {
          await rules.sleep(retryDelay(failures, error.retryAfter, rules), signal);
        } catch (interrupted) {
          signal.throwIfAborted();
          throw interrupted;
        }
      }
    }
  });
}
