import { type AtOnce, createAtOnce, type Patience } from './at-once.ts';

/** How what has to survive a loss of power is flushed: by other threads, a few at a time, or at once while the disk is quick. */

/** As many as the threads that carry them out; more would only wait in line before other files' work. */
export const syncsAtOnce = 4;

export async function inTurns<T>(width: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}

/**
 * A flush by another thread costs some 30 µs more than one at once. Where the disk has to be waited for, four threads are
 * quicker than one, and waiting here would hold up the API: so that is found out for a fiftieth of the time at most.
 */
const patience: Patience = { slowMs: 0.5, share: 1 / 128, restMs: 1_000, restTimes: 50 };

const clock = (): number => performance.now();

/** Asking the system whether work has waited takes a tenth of these: all their time counts as waiting. */
export const quickFlushes = (): AtOnce => createAtOnce({ clock, waits: clock }, patience);

/** Nothing at once: every flush by other threads. */
export const never: AtOnce = () => undefined;
