import { helpsToWait, mayEndTransfer, remedyFor } from '#client/faults.ts';
import { withRetries } from '#client/retries.ts';
import type { WeightedSemaphore } from './concurrency/weighted-semaphore.ts';
import type { JobContext } from './job.ts';
import { retryWithActivity } from './retry-with-activity.ts';

/** Calls for a batch of small files, with the same backoff that each file would have by itself. */
export interface BatchCalls {
  /**
   * Retries an idempotent call until it succeeds. `null` if no waiting can help: then each file gets its own error.
   * Throws what ends the transfer, and the signal's reason.
   */
  ask<T>(call: () => Promise<T>): Promise<T | null>;
  /** Runs work that must run only once. */
  once<T>(work: () => Promise<T>): Promise<T>;
  /** Backoff after a failure: as long as one file would wait before its next attempt. Throws as `ask` does. */
  pauseAfter(error: unknown): Promise<void>;
}

/** @param weight permits that the group takes while something of it is under way, and not while it waits */
export function createBatchCalls(semaphore: WeightedSemaphore, context: JobContext, weight: number): BatchCalls {
  const { signal, retries, activity } = context;

  async function inSlots<T>(work: () => Promise<T>): Promise<T> {
    const giveBack = await semaphore.acquire(weight, signal);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  async function ask<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await retryWithActivity(context, () => inSlots(() => withRetries(retries, signal, call)));
    } catch (error) {
      signal.throwIfAborted();
      if (mayEndTransfer(error)) throw error;
      return null;
    }
  }

  return {
    ask,
    async once(work) {
      const end = activity.begin();
      try {
        return await inSlots(work);
      } finally {
        end();
      }
    },
    async pauseAfter(error) {
      if (mayEndTransfer(error)) throw error;
      // For every other failure, the single-file path acts at once.
      if (!helpsToWait(remedyFor(error))) return;
      let met = false;
      await ask(async () => {
        if (met) return;
        met = true;
        throw error;
      });
    },
  };
}
