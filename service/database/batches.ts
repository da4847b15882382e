/** How calls are run together. */
export interface BatchRules<In, Out> {
  /** Runs them as one; results in the items' order. */
  readonly run: (items: readonly In[]) => Promise<readonly Out[]>;
  /** Items of the same key never run in one batch: the later waits for the next. Without it any may run together. */
  readonly keyOf?: (item: In) => string;
  /** Items in one batch. */
  readonly max: number;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs calls that come while an earlier batch is under way together, one batch at a time: a lone call does not
 * wait, and many at once share one statement and one commit. Should a batch fail, its calls are run one by one,
 * so that none fails for another's sake.
 */
export function createBatches<In, Out>({ run, keyOf, max }: BatchRules<In, Out>): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let busy = false;

  /** The first calls with distinct keys; the others keep their order. */
  function take(): Waiting<In, Out>[] {
    const keys = new Set<string>();
    const batch: Waiting<In, Out>[] = [];
    const later: Waiting<In, Out>[] = [];
    for (const call of waiting) {
      const key = keyOf?.(call.item);
      if (batch.length < max && (key === undefined || !keys.has(key))) batch.push(call);
      else later.push(call);
      if (key !== undefined) keys.add(key);
    }
    waiting = later;
    return batch;
  }

  async function runOne(call: Waiting<In, Out>): Promise<void> {
    try {
      const [result] = await run([call.item]);
      call.resolve(result as Out);
    } catch (error) {
      call.reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = take();
      if (batch.length === 1) {
        await runOne(batch[0]!);
        continue;
      }
      let results: readonly Out[] | null = null;
      try {
        results = await run(batch.map((call) => call.item));
      } catch {
        for (const call of batch) await runOne(call);
      }
      if (results) for (const [index, call] of batch.entries()) call.resolve(results[index] as Out);
    }
    busy = false;
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (busy) return;
      busy = true;
      // After this turn of the event loop, so that requests that arrived together run together.
      setImmediate(() => void drain());
    });
}
