/** How single items are collected into batches. */
interface BatcherOptions<In, Out> {
  /** Results in the items' order. */
  readonly run: (items: readonly In[]) => Promise<readonly Out[]>;
  /** Items per batch. */
  readonly maxItems: number;
  /** Total weight per batch. A single item that weighs more is still processed, in a batch of its own. */
  readonly maxWeight: number;
  readonly weightOf: (item: In) => number;
  /** Resolves when the first items have waited long enough for others. */
  readonly linger: () => Promise<void>;
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
export function createBatcher<In, Out>({
  run,
  maxItems,
  maxWeight,
  weightOf,
  linger,
}: BatcherOptions<In, Out>): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let waitingWeight = 0;
  let running = false;
  let lingering = false;

  function nextBatch(): Waiting<In, Out>[] {
    let weight = 0;
    let count = 0;
    while (count < waiting.length && count < maxItems) {
      const next = weight + waiting[count]!.weight;
      if (count > 0 && next > maxWeight) break;
      weight = next;
      count++;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingWeight -= weight;
    return batch;
  }

  async function runBatch(batch: readonly Waiting<In, Out>[]): Promise<void> {
    running = true;
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    running = false;
    schedule();
  }

  function schedule(): void {
    if (!running && (waiting.length >= maxItems || waitingWeight >= maxWeight)) void runBatch(nextBatch());
    if (waiting.length === 0 || running || lingering) return;
    lingering = true;
    void linger().then(afterLinger, afterLinger);
  }

  function afterLinger(): void {
    lingering = false;
    if (waiting.length > 0 && !running) void runBatch(nextBatch());
    schedule();
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      const weight = weightOf(item);
      waiting.push({ item, weight, resolve, reject });
      waitingWeight += weight;
      schedule();
    });
}
