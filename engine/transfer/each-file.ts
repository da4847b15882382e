import type { FileRecord } from './record.ts';

export interface EachFile {
  /** The next files after this id, ascending; none: that was all. Not asked again before it has answered. */
  readonly next: (afterId: number) => FileRecord[] | Promise<FileRecord[]>;
  /** How many at once. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly work: (file: FileRecord, signal: AbortSignal) => Promise<void>;
  /** For files that cost less when they are worked on together. */
  readonly together?: Together;
}

export interface Together {
  /** As how many of the limit one such group counts. */
  readonly weight: number;
  /** How many of these go together, from this place on; fewer than two, and that one goes alone. */
  readonly count: (files: readonly FileRecord[], from: number) => number;
  /** Works on a group and gives those that are to go alone after all; what it throws ends everything. */
  readonly work: (files: readonly FileRecord[], signal: AbortSignal) => Promise<readonly FileRecord[]>;
}

/**
 * Works on every file, many at once, in order of their ids. When one of them throws, no new ones begin, the
 * others are told to stop, and when all have, the first failure is thrown. Nothing runs any more afterwards.
 */
export async function eachFile({ next, limit, signal, work, together }: EachFile): Promise<void> {
  const stop = new AbortController();
  // Not `AbortSignal.any`, whose signals make each of the many listeners of a request dear.
  const stopToo = (): void => stop.abort(signal.reason);
  if (signal.aborted) stopToo();
  signal.addEventListener('abort', stopToo);
  let page: readonly FileRecord[] = [];
  let at = 0;
  let turning = false;
  let ended = false;
  const alone: FileRecord[] = [];
  let underWay = 0;
  let failure: { readonly error: unknown } | null = null;
  let changed = Promise.withResolvers<void>();

  const fail = (error: unknown): void => {
    failure ??= { error };
    stop.abort(error);
  };

  /** One of those that run has come to its end. */
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

  const group = async (files: readonly FileRecord[]): Promise<void> => {
    alone.push(...(await together!.work(files, stop.signal)));
  };

  /** Begins the next; false: there is none now. */
  const beginNext = (): boolean => {
    const left = alone.shift();
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
    const count = together?.count(page, at) ?? 1;
    if (together && count > 1) begin(together.weight, group(page.slice(at, at + count)));
    else begin(1, work(page[at]!, stop.signal));
    at += Math.max(1, count);
    return true;
  };

  for (;;) {
    while (!failure && !stop.signal.aborted && underWay < limit && beginNext());
    const idle = underWay === 0 && !turning;
    if (idle && (failure || stop.signal.aborted || (ended && alone.length === 0))) break;
    await changed.promise;
    changed = Promise.withResolvers<void>();
  }
  signal.removeEventListener('abort', stopToo);
  signal.throwIfAborted();
  if (failure) throw (failure as { readonly error: unknown }).error;
}
