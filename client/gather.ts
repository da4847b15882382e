/** How items that come one by one are handed on together. */
export interface GatherRules<In, Out> {
  /** Results in the items' order. */
  readonly run: (items: readonly In[]) => Promise<readonly Out[]>;
  /** Items handed on at once. */
  readonly most: number;
  /** Of the weights of those: an item that alone weighs more still goes, by itself. */
  readonly mostWeight: number;
  readonly weightOf: (item: In) => number;
  /** Resolves when those who came first have waited for company long enough. */
  readonly pause: () => Promise<void>;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Hands items on together, one batch at a time: what comes while a batch is under way makes up the next. A batch
 * that fails as a whole fails each of its items.
 */
export function createGatherer<In, Out>({ run, most, mostWeight, weightOf, pause }: GatherRules<In, Out>): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let busy = false;

  function take(): Waiting<In, Out>[] {
    let weight = 0;
    let count = 0;
    while (count < waiting.length && count < most) {
      weight += weightOf(waiting[count]!.item);
      if (count > 0 && weight > mostWeight) break;
      count++;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  }

  async function handOn(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < most) await pause();
      await handOn(take());
    }
    busy = false;
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (busy) return;
      busy = true;
      void drain();
    });
}
