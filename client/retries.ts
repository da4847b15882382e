import { type Backoff, backoffDelay, brisk } from './backoff.ts';
import type { DamageCount } from './damage.ts';
import { remedyFor } from './faults.ts';
import type { Sleep } from './ports.ts';
import { retryUntilDone } from './retry-until-done.ts';

export interface RetryPorts {
  readonly sleep: Sleep;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Called with a failure that is retried silently; call the returned function when the problem is over. */
  readonly trouble?: (error: unknown) => () => void;
  /** One counter for the whole transfer. */
  readonly damages?: DamageCount;
}

/** Reports the failure that an operation is currently retrying, if any. A newer failure replaces the older one. */
export function troubleOf({ trouble }: Pick<RetryPorts, 'trouble'>): { met(error: unknown): void; over(): void } {
  let end: (() => void) | undefined;
  const over = (): void => {
    end?.();
    end = undefined;
  };
  return {
    met(error) {
      over();
      end = trouble?.(error);
    },
    over,
  };
}

const attempts = 4;
/** Seconds. A longer `Retry-After` is left to the caller, which can show it to the user. */
const longestPause = 10;

/**
 * Delay before the next of a few quick attempts, in milliseconds; `null` where the failure is permanent, asks for a
 * longer delay, or was repeated too often. `failures` counts this one.
 */
export function quickRetry(error: unknown, failures: number, random: () => number, backoff: Backoff = brisk): number | null {
  if (failures >= attempts) return null;
  const remedy = remedyFor(error);
  if (remedy.kind === 'retry_soon') return backoffDelay(failures, random, backoff);
  if (remedy.kind === 'retry_after' && remedy.seconds <= longestPause) return remedy.seconds * 1_000;
  return null;
}

/** Runs the work and retries it a few times after temporary failures. The work must be idempotent. */
export async function withRetries<T>(ports: RetryPorts, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const trouble = troubleOf(ports);
  try {
    return await retryUntilDone(work, {
      signal,
      pauseAfter: (error, failures) => quickRetry(error, failures, ports.random) ?? 'never',
      wait(pause, error) {
        trouble.met(error);
        return ports.sleep(pause ?? 0, signal);
      },
    });
  } finally {
    trouble.over();
  }
}
