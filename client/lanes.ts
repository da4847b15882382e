/**
 * Works through the indexes in so many lanes. After a failure the other lanes finish what they have under
 * way, since a chunk that is nearly through is worth more than a quick end; then the first failure is thrown.
 */
export async function inLanes(lanes: number, indexes: readonly number[], work: (index: number) => Promise<void>): Promise<void> {
  const waiting = indexes.values();
  const failures: unknown[] = [];
  async function lane(): Promise<void> {
    for (let next = waiting.next(); !next.done && failures.length === 0; next = waiting.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failures.length > 0) throw failures[0];
}
