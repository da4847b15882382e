import type { AtOnce } from '#disk/at-once.ts';

/**
 * How data that must survive a power failure is flushed: by other threads with limited concurrency, or synchronously
 * while the disk is fast.
 */

/** The number of threads that run flushes. More flushes would only queue before the work of other files. */
export const syncsAtOnce = 4;

export async function inTurns<T>(width: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}

/** Never synchronous: other threads do every flush. */
export const never: AtOnce = () => undefined;
