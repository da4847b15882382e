import { backoffDelay } from './backoff.ts';
import type { Remedy } from './faults.ts';

/** How one user of the loop waits and gives up. */
export interface RetryRules {
  readonly signal: AbortSignal;
  /**
   * Milliseconds before the next attempt after the `failures`-th failure in a row (1, 2, …); `null`: until something else
   * happens, which `wait` knows; `never`: the error is thrown.
   */
  readonly pauseAfter: (error: unknown, failures: number) => number | null | 'never';
  /** Resolves when the next attempt may begin; rejects with the signal's reason. */
  readonly wait: (pause: number | null, error: unknown) => Promise<unknown>;
  /** Whether there was progress since the last call: if so, the backoff starts again from its shortest pause. */
  readonly moved?: () => boolean;
}

/**
 * Retries the work until it succeeds, or until an error for which the rules say `never`. Rejects with that error or with
 * the signal's reason. The work must be idempotent.
 */
export async function retryUntilDone<T>(work: () => Promise<T>, { signal, pauseAfter, wait, moved = () => false }: RetryRules): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (moved()) failures = 1;
      const pause = pauseAfter(error, failures);
      if (pause === 'never') throw error;
      await wait(pause, error);
      signal.throwIfAborted();
    }
  }
}

/**
 * Milliseconds of backoff before the attempt that a remedy asks for; `null` where waiting alone does not help, and a
 * person has to act or nothing can be done. `grows`: whether a delay that was asked for grows with the failures, as far
 * as the remedy lets it.
 */
export function backoffFor(remedy: Remedy, failures: number, random: () => number, { grows = true } = {}): number | null {
  switch (remedy.kind) {
    case 'retry_after':
      return (grows ? grown(remedy, failures, random) : remedy.seconds) * 1_000;
    case 'retry_soon':
    case 'new_blueprints':
    case 'restart_chunk':
    case 'restart_file':
      return backoffDelay(failures, random);
    case 'needs_person':
    case 'never':
      return null;
  }
}

/**
 * Backoff with jitter: never sooner than asked; later pauses are shortened by up to half of their growth, so that many
 * clients do not return at once.
 */
function grown({ seconds, growsTo = seconds }: { seconds: number; growsTo?: number }, failures: number, random: () => number): number {
  const doubled = Math.max(seconds, Math.min(growsTo, seconds * 2 ** Math.min(failures - 1, 30)));
  return doubled - ((doubled - seconds) * random()) / 2;
}
