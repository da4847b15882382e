/** How single items are collected into batches. */
export interface GatherRules<In, Out> {
  /** Results in the items' order. */
  readonly run: (items: readonly In[]) => Promise<readonly Out[]>;
  /** Items per batch. */
  readonly most: number;
  /** Total weight per batch. A single item that weighs more is still processed, in a batch of its own. */
  readonly mostWeight: number;
  readonly weightOf: (item: In) => number;
  /** Resolves when the first items have waited long enough for others. */
  readonly pause: () => Promise<void>;
  /** Full batches at the same time; default 1. A batch that is not full waits until no other is running. */
  readonly atOnce?: number;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly weight: number;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects items into batches: items that arrive while a batch is running are put into the next one. A batch that fails
 * as a whole fails each of its items.
 */
export function createGatherer<In, Out>({
  run,
  most,
  mostWeight,
  weightOf,
  pause,
  atOnce = 1,
}: GatherRules<In, Out>): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let waitingWeight = 0;
  let underWay = 0;
  let pausing = false;

  function take(): Waiting<In, Out>[] {
    let weight = 0;
    let count = 0;
    while (count < waiting.length && count < most) {
      const next = weight + waiting[count]!.weight;
      if (count > 0 && next > mostWeight) break;
      weight = next;
      count++;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingWeight -= weight;
    return batch;
  }

  async function handOn(batch: readonly Waiting<In, Out>[]): Promise<void> {
    underWay++;
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay--;
    look();
  }

  function look(): void {
    while (underWay < atOnce && (waiting.length >= most || waitingWeight >= mostWeight)) void handOn(take());
    if (waiting.length === 0 || underWay > 0 || pausing) return;
    pausing = true;
    void pause().then(rested, rested);
  }

  function rested(): void {
    pausing = false;
    if (waiting.length > 0 && underWay === 0) void handOn(take());
    look();
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      const weight = weightOf(item);
      waiting.push({ item, weight, resolve, reject });
      waitingWeight += weight;
      look();
    });
}
