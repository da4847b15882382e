/**
 * Works through the indexes in so many lanes. After a failure the other lanes finish what they have under
 * way, since a chunk that is nearly through is worth more than a quick end; then the first failure is thrown.
 */
export async function inLanes(
  lanes: number,
  indexes: readonly number[],
  /** `halted`: something has failed, so that what has not begun yet need not begin. */
  work: (index: number, halted: () => boolean) => Promise<void>,
): Promise<void> {
  const waiting = indexes.values();
  const failures: unknown[] = [];
  const halted = (): boolean => failures.length > 0;
  async function lane(): Promise<void> {
    for (let next = waiting.next(); !next.done && !halted(); next = waiting.next()) {
      try {
        await work(next.value, halted);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  if (halted()) throw failures[0];
}
