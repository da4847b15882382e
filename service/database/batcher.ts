/** How calls are batched. */
interface BatcherOptions<In, Out> {
  /** Runs a batch; results in the items' order. */
  readonly run: (items: readonly In[]) => Promise<readonly Out[]>;
  /**
   * Items with the same key never run in one batch: the later one waits for the next. Without `keyOf`, any items may
   * share a batch.
   */
  readonly keyOf?: (item: In) => string;
  /** Maximum items per batch. */
  readonly max: number;
}

interface PendingCall<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches calls that arrive while an earlier batch is in progress, one batch at a time: a lone call does not wait, and
 * concurrent calls share one statement and one commit. If a batch fails, its calls are retried one by one, so that no
 * call fails because of another.
 */
export function createBatcher<In, Out>({ run, keyOf, max }: BatcherOptions<In, Out>): (item: In) => Promise<Out> {
  let pending: PendingCall<In, Out>[] = [];
  let busy = false;

  /** The first calls with distinct keys; the others keep their order. */
  function take(): PendingCall<In, Out>[] {
    const keys = new Set<string>();
    const batch: PendingCall<In, Out>[] = [];
    const later: PendingCall<In, Out>[] = [];
    for (const call of pending) {
      const key = keyOf?.(call.item);
      if (batch.length < max && (key === undefined || !keys.has(key))) batch.push(call);
      else later.push(call);
      if (key !== undefined) keys.add(key);
    }
    pending = later;
    return batch;
  }

  async function runOne(call: PendingCall<In, Out>): Promise<void> {
    try {
      const [result] = await run([call.item]);
      call.resolve(result as Out);
    } catch (error) {
      call.reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (pending.length > 0) {
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
      pending.push({ item, resolve, reject });
      if (busy) return;
      busy = true;
      // After this turn of the event loop, so that requests that arrived together share a batch.
      setImmediate(() => void drain());
    });
}
