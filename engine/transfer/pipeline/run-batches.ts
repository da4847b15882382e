import type { FileRecord } from '../record.ts';
import { type Batch, batchOfOne, type SizeClass } from './plan.ts';
import { type Outcomes, settle } from './settle.ts';

/** Planned files that have not begun. So many are looked through for those of a size class that has room. */
const mostPlanned = 1_024;

export interface Pipeline {
  /** The next files after this id, ascending; an empty list ends the iteration. Not called again before it has answered. */
  readonly next: (afterId: number) => FileRecord[] | Promise<FileRecord[]>;
  /** Called with files that may have been planned before, so that a later page fills their batches. */
  readonly plan: (files: readonly FileRecord[]) => readonly Batch[];
  /** Files of each size class that are in progress at most. */
  readonly limit: number;
  /** How much of the limit a batch of more than one file takes that begins now. */
  readonly weight: () => number;
  readonly signal: AbortSignal;
  /** An error ends everything. */
  readonly move: (batch: Batch, signal: AbortSignal) => Promise<Outcomes>;
  /** Notes that a file cannot be moved. */
  readonly fail: (file: FileRecord, error: unknown, signal: AbortSignal) => void | Promise<void>;
  /** Waits as long as one file would after this error before its next attempt. */
  readonly pauseAfter: (error: unknown, signal: AbortSignal) => Promise<void>;
}

/** The batches of one size class, in the order in which they begin. */
interface Queue {
  readonly retries: Batch[];
  planned: Batch[];
  /** Batches in progress. */
  running: number;
  /** How much of the limit they take, which need not be whole. */
  taken: number;
}

/**
 * Moves every file concurrently, in each size class in order of ids. When one throws, no new ones begin, the others are
 * aborted, and once all have ended, the first error is thrown. Nothing runs any more afterwards.
 */
export async function runBatches({ next, plan, limit, weight, signal, move, fail, pauseAfter }: Pipeline): Promise<void> {
  const stop = new AbortController();
  // `AbortSignal.any` is not used: its signals make each of a request's many listeners expensive.
  const stopToo = (): void => stop.abort(signal.reason);
  if (signal.aborted) stopToo();
  signal.addEventListener('abort', stopToo);
  const queues: Readonly<Record<SizeClass, Queue>> = {
    small: { retries: [], planned: [], running: 0, taken: 0 },
    large: { retries: [], planned: [], running: 0, taken: 0 },
  };
  const classes = Object.values(queues);
  let planned = 0;
  let lastId = 0;
  let turning = false;
  let ended = false;
  let failure: { readonly error: unknown } | null = null;
  let changed = Promise.withResolvers<void>();

  const end = (error: unknown): void => {
    failure ??= { error };
    stop.abort(error);
  };

  const run = async (batch: Batch): Promise<void> => {
    const outcomes = await move(batch, stop.signal);
    stop.signal.throwIfAborted();
    const settled = settle(outcomes);
    if (settled.ends) throw settled.ends.error;
    for (const { file, error } of settled.failed) await fail(file, error, stop.signal);
    if (settled.pauseAfter) await pauseAfter(settled.pauseAfter.error, stop.signal);
    for (const file of settled.retries) {
      const alone = batchOfOne(file);
      queues[alone.sizeClass].retries.push(alone);
    }
  };

  const begin = (queue: Queue, batch: Batch): void => {
    const taken = batch.files.length > 1 ? weight() : 1;
    queue.running++;
    queue.taken += taken;
    run(batch)
      .catch(end)
      .finally(() => {
        queue.running--;
        // Parts of a number do not sum up to it: what is left of them is none.
        queue.taken = queue.running === 0 ? 0 : queue.taken - taken;
        changed.resolve();
      });
  };

  const beginAll = (queue: Queue): void => {
    while (queue.taken < limit) {
      const retry = queue.retries.shift();
      const batch = retry ?? queue.planned.shift();
      if (!batch) return;
      if (!retry) planned -= batch.files.length;
      begin(queue, batch);
    }
  };

  const turn = async (): Promise<void> => {
    const page = await next(lastId);
    ended = page.length === 0;
    if (ended) return;
    lastId = page.at(-1)!.id;
    planned += page.length;
    const small = queues.small.planned.flatMap(({ files }) => files);
    queues.small.planned = [];
    for (const batch of plan([...small, ...page])) queues[batch.sizeClass].planned.push(batch);
  };

  const beginTurn = (): void => {
    turning = true;
    turn()
      .catch(end)
      .finally(() => {
        turning = false;
        changed.resolve();
      });
  };

  for (;;) {
    if (!failure && !stop.signal.aborted) {
      classes.forEach(beginAll);
      // A class with room has nothing planned now.
      if (!ended && !turning && planned < mostPlanned && classes.some(({ taken }) => taken < limit)) beginTurn();
    }
    if (!turning && classes.every(({ running }) => running === 0)) break;
    await changed.promise;
    changed = Promise.withResolvers<void>();
  }
  signal.removeEventListener('abort', stopToo);
  signal.throwIfAborted();
  if (failure) throw (failure as { readonly error: unknown }).error;
}
