/** What became of an action on many packages. */
export interface BulkResult<Item> {
  readonly done: number;
  readonly failures: readonly { readonly item: Item; readonly error: unknown }[];
  /** Not begun, since it was stopped. */
  readonly left: number;
}

/** Calls that are under way at once. */
const concurrency = 4;

/** Acts on one item after the other. One that fails does not keep the others; a stop lets those under way finish. */
export async function runBulk<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (over: number) => void },
): Promise<BulkResult<Item>> {
  const failures: { item: Item; error: unknown }[] = [];
  let [next, done] = [0, 0];
  const work = async (): Promise<void> => {
    while (next < items.length && !signal.aborted) {
      const item = items[next++]!;
      try {
        await act(item);
        done += 1;
      } catch (error) {
        failures.push({ item, error });
      }
      onProgress(done + failures.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { done, failures, left: items.length - done - failures.length };
}
