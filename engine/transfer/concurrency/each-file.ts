import type { FileRecord } from '../record.ts';

interface EachFile {
  /** The next files after this id, ascending; an empty list ends the iteration. Not called again before it has answered. */
  readonly next: (afterId: number) => FileRecord[] | Promise<FileRecord[]>;
  /** Maximum concurrency. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly work: (file: FileRecord, signal: AbortSignal) => Promise<void>;
  /** For files that are cheaper in a batch. */
  readonly batching?: Batching;
}

export interface Batching {
  /** How much of the limit one batch takes. */
  readonly weight: number;
  /** Size of the batch that begins at this index; if it is less than two, the file is processed single. */
  readonly count: (files: readonly FileRecord[], from: number) => number;
  /** Processes a batch and returns the files that must be processed one by one; an error ends everything. */
  readonly work: (files: readonly FileRecord[], signal: AbortSignal) => Promise<readonly FileRecord[]>;
}

/**
 * Processes every file concurrently, in order of ids. When one throws, no new ones begin, the others are aborted, and
 * once all have ended, the first error is thrown. Nothing runs any more afterwards.
 */
export async function eachFile({ next, limit, signal, work, batching }: EachFile): Promise<void> {
  const stop = new AbortController();
  // `AbortSignal.any` is not used: its signals make each of a request's many listeners expensive.
  const stopToo = (): void => stop.abort(signal.reason);
  if (signal.aborted) stopToo();
  signal.addEventListener('abort', stopToo);
  let page: readonly FileRecord[] = [];
  let at = 0;
  let turning = false;
  let ended = false;
  const single: FileRecord[] = [];
  let underWay = 0;
  let failure: { readonly error: unknown } | null = null;
  let changed = Promise.withResolvers<void>();

  const fail = (error: unknown): void => {
    failure ??= { error };
    stop.abort(error);
  };

  /** One of the running pieces has ended. */
  const over = (weight: number): void => {
    underWay -= weight;
    changed.resolve();
  };

  const begin = (weight: number, running: Promise<unknown>): void => {
    underWay += weight;
    running.then(
      () => over(weight),
      (error: unknown) => {
        fail(error);
        over(weight);
      },
    );
  };

  const turn = async (): Promise<void> => {
    const lastId = page.at(-1)?.id ?? 0;
    try {
      const found = await next(lastId);
      ended = found.length === 0;
      if (ended) return;
      page = found;
      at = 0;
    } finally {
      turning = false;
    }
  };

  const runBatch = async (files: readonly FileRecord[]): Promise<void> => {
    single.push(...(await batching!.work(files, stop.signal)));
  };

  /** Begins the next one; false if there is none now. */
  const beginNext = (): boolean => {
    const left = single.shift();
    if (left) {
      begin(1, work(left, stop.signal));
      return true;
    }
    if (at === page.length) {
      if (ended || turning) return false;
      turning = true;
      begin(0, turn());
      return false;
    }
    const count = batching?.count(page, at) ?? 1;
    if (batching && count > 1) begin(batching.weight, runBatch(page.slice(at, at + count)));
    else begin(1, work(page[at]!, stop.signal));
    at += Math.max(1, count);
    return true;
  };

  for (;;) {
    while (!failure && !stop.signal.aborted && underWay < limit && beginNext());
    const idle = underWay === 0 && !turning;
    if (idle && (failure || stop.signal.aborted || (ended && single.length === 0))) break;
    await changed.promise;
    changed = Promise.withResolvers<void>();
  }
  signal.removeEventListener('abort', stopToo);
  signal.throwIfAborted();
  if (failure) throw (failure as { readonly error: unknown }).error;
}
