import { type Backoff, backoffDelay, brisk } from './backoff.ts';
import { remedyFor } from './faults.ts';
import type { Sleep } from './ports.ts';

export interface RetryPorts {
  readonly sleep: Sleep;
  /** From 0 up to 1. */
  readonly random: () => number;
}

const attempts = 4;
/** Seconds. Whoever asks for a longer pause gets it from the caller's caller, who can say so to the person. */
const longestPause = 10;

/**
 * The wait before the next of a few quick attempts, in milliseconds; `null` when the failure is not
 * one that passes, asks for a long pause, or has come too often. `failures` counts this one.
 */
export function quickRetry(error: unknown, failures: number, random: () => number, backoff: Backoff = brisk): number | null {
  if (failures >= attempts) return null;
  const remedy = remedyFor(error);
  if (remedy.kind === 'again_soon') return backoffDelay(failures, random, backoff);
  if (remedy.kind === 'again_after' && remedy.seconds <= longestPause) return remedy.seconds * 1_000;
  return null;
}

/** Does the work, a few times where it fails with what passes by itself. It must bear being done again. */
export async function withRetries<T>(ports: RetryPorts, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const wait = quickRetry(error, failures, ports.random);
      if (wait === null) throw error;
      await ports.sleep(wait, signal);
    }
  }
}
