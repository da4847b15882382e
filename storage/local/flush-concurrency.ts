/** The number of threads that run flushes. More flushes would only queue before the work of other files. */
const syncConcurrency = 4;

export async function forEachConcurrent<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(syncConcurrency, items.length) }, worker));
}
