import { type Remedy, remedyFor } from '#client/faults.ts';
import { withRetries } from '#client/retries.ts';
import { endsTransfer } from './failures.ts';
import type { JobContext } from './job.ts';
import { keepTrying } from './keep-trying.ts';
import type { Slots } from './slots.ts';

/** What is done for a group of small files at once, with the patience that each of them would have by itself. */
export interface GroupCalls {
  /**
   * Does what bears being done again, until it is through. `null` where no waiting can help: then each of them is told why
   * by itself. Throws what ends the transfer, and the signal's reason.
   */
  ask<T>(call: () => Promise<T>): Promise<T | null>;
  /** Does what has to be done once. */
  once<T>(work: () => Promise<T>): Promise<T>;
  /** After work that failed: waits for as long as one file would before its next attempt. Throws as `ask` does. */
  pauseAfter(error: unknown): Promise<void>;
}

/** Against everything else whoever goes alone does something at once. */
const helpfulPauses: ReadonlySet<Remedy['kind']> = new Set(['again_soon', 'again_after']);

/** @param weight slots that the group takes while something of it is under way, and not while it waits */
export function groupCalls(slots: Slots, context: JobContext, weight: number): GroupCalls {
  const { signal, retries, activity } = context;

  async function inSlots<T>(work: () => Promise<T>): Promise<T> {
    const giveBack = await slots.take(weight, signal);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  async function ask<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await keepTrying(context, () => inSlots(() => withRetries(retries, signal, call)));
    } catch (error) {
      signal.throwIfAborted();
      if (endsTransfer(error)) throw error;
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
      if (endsTransfer(error)) throw error;
      if (!helpfulPauses.has(remedyFor(error).kind)) return;
      let met = false;
      await ask(async () => {
        if (met) return;
        met = true;
        throw error;
      });
    },
  };
}
