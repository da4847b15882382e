/**
 * Processes the indexes with limited concurrency. After a failure no new work starts, but work that is running
 * completes, since a chunk that is almost sent is worth more than a quick end. Then the first failure is thrown.
 */
export async function forEachConcurrent(
  concurrency: number,
  indexes: readonly number[],
  /** `halted`: something has failed, so work that has not started yet can be skipped. */
  work: (index: number, halted: () => boolean) => Promise<void>,
): Promise<void> {
  const waiting = indexes.values();
  const failures: unknown[] = [];
  const halted = (): boolean => failures.length > 0;
  async function worker(): Promise<void> {
    for (let next = waiting.next(); !next.done && !halted(); next = waiting.next()) {
      try {
        await work(next.value, halted);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (halted()) throw failures[0];
}
