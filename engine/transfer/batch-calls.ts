import { mayEndTransfer } from '#client/faults.ts';
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
  };
}

/** Waits as long as one file would after this error, before its next attempt. Throws the signal's reason. */
export async function pauseAfter(context: JobContext, error: unknown): Promise<void> {
  let met = false;
  const meet = async (): Promise<void> => {
    if (met) return;
    met = true;
    throw error;
  };
  await retryWithActivity(context, () => withRetries(context.retries, context.signal, meet));
}
