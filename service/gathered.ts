/**
 * Has what comes at about the same time done together: whatever comes while `doAll` works is its next argument, and what
 * comes while it does not is done at once, alone. Where several fail together each is done by itself, so that one that cannot
 * be done fails alone.
 */
export function gathered<Item>(doAll: (items: readonly Item[]) => Promise<void>): (item: Item) => Promise<void> {
  interface Waiting {
    readonly item: Item;
    readonly done: PromiseWithResolvers<void>;
  }
  const waiting: Waiting[] = [];
  let isBusy = false;

  async function doTogether(together: readonly Waiting[]): Promise<void> {
    try {
      await doAll(together.map(({ item }) => item));
      for (const { done } of together) done.resolve();
    } catch (error) {
      if (together.length === 1) together[0]!.done.reject(error);
      else for (const one of together) await doTogether([one]);
    }
  }

  async function work(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) await doTogether(waiting.splice(0));
    isBusy = false;
  }

  return (item) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ item, done });
    if (!isBusy) void work();
    return done.promise;
  };
}
