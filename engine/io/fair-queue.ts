/**
 * A queue of waiters for a share of one connection, several to a flow. The next waiter is from the flow that has had
 * least for its weight (start-time fair queueing): a new flow starts level with the existing ones, and an idle flow
 * earns no credit. Within a flow, first come, first served. Arithmetic only; `rate-limit.ts` does the waiting.
 */
interface FairQueue<W extends { readonly bytes: number }> {
  readonly length: number;
  /** @param weight current weight of the flow relative to the others; more than 0 */
  flow(weight: () => number): Flow<W>;
  /** Removes and returns the next waiter; `undefined` if there is none. */
  shift(): W | undefined;
  /** The next waiter, without removing it. */
  first(): W | undefined;
}

export interface Flow<W> {
  readonly weight: () => number;
  push(waiter: W): void;
  remove(waiter: W): void;
  /** Counts bytes that the flow moved without waiting. */
  had(bytes: number): void;
}

interface Line<W> extends Flow<W> {
  readonly waiting: W[];
  /** What it has moved so far, divided by its weight. */
  had: (bytes: number) => void;
  tag: number;
}

export function createFairQueue<W extends { readonly bytes: number }>(): FairQueue<W> {
  /** Flows with waiters. An idle flow is referenced only by its creator, so that nothing has to be closed. */
  const lines = new Set<Line<W>>();
  let now = 0;

  const charge = (line: Line<W>, bytes: number): void => {
    line.tag = Math.max(line.tag, now);
    now = line.tag;
    line.tag += bytes / line.weight();
  };

  const next = (): Line<W> | undefined => {
    let least: Line<W> | undefined;
    for (const line of lines) if (!least || line.tag < least.tag) least = line;
    return least;
  };

  return {
    get length() {
      let sum = 0;
      for (const { waiting } of lines) sum += waiting.length;
      return sum;
    },
    flow(weight) {
      const line: Line<W> = {
        weight,
        waiting: [],
        tag: now,
        push(waiter) {
          if (line.waiting.length === 0) line.tag = Math.max(line.tag, now);
          line.waiting.push(waiter);
          lines.add(line);
        },
        remove(waiter) {
          const at = line.waiting.indexOf(waiter);
          if (at >= 0) line.waiting.splice(at, 1);
          if (line.waiting.length === 0) lines.delete(line);
        },
        had: (bytes) => charge(line, bytes),
      };
      return line;
    },
    first: () => next()?.waiting[0],
    shift() {
      const line = next();
      const waiter = line?.waiting.shift();
      if (!line || !waiter) return undefined;
      if (line.waiting.length === 0) lines.delete(line);
      charge(line, waiter.bytes);
      return waiter;
    },
  };
}
