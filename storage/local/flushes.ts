import type { AtOnce } from '#disk/at-once.ts';

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

/** Nothing at once: every flush by other threads. */
export const never: AtOnce = () => undefined;
