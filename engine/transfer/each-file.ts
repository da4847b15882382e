import type { FileRecord } from './record.ts';

export interface EachFile {
  /** The next files after this id, ascending; none: that was all. Not asked again before it has answered. */
  readonly next: (afterId: number) => FileRecord[] | Promise<FileRecord[]>;
  /** How many at once. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly work: (file: FileRecord, signal: AbortSignal) => Promise<void>;
}

/**
 * Works on every file, many at once, in order of their ids. When one of them throws, no new ones begin, the
 * others are told to stop, and when all have, the first failure is thrown. Nothing runs any more afterwards.
 */
export async function eachFile({ next, limit, signal, work }: EachFile): Promise<void> {
  const stop = new AbortController();
  // Not `AbortSignal.any`, whose signals make each of the many listeners of a request dear.
  const stopToo = (): void => stop.abort(signal.reason);
  if (signal.aborted) stopToo();
  signal.addEventListener('abort', stopToo);
  let page: FileRecord[] = [];
  let at = 0;
  let lastId = 0;
  let ended = false;
  let failure: { readonly error: unknown } | null = null;

  let turning: Promise<void> | null = null;

  const turn = async (): Promise<void> => {
    page = await next(lastId);
    at = 0;
    ended = page.length === 0;
  };

  const take = async (): Promise<FileRecord | null> => {
    for (;;) {
      if (ended || failure || stop.signal.aborted) return null;
      const file = page[at];
      if (file) {
        at++;
        lastId = file.id;
        return file;
      }
      turning ??= turn().finally(() => {
        turning = null;
      });
      await turning;
    }
  };

  const lane = async (): Promise<void> => {
    try {
      for (let file = await take(); file; file = await take()) await work(file, stop.signal);
    } catch (error) {
      failure ??= { error };
      stop.abort(error);
    }
  };

  await Promise.all(Array.from({ length: limit }, lane));
  signal.removeEventListener('abort', stopToo);
  signal.throwIfAborted();
  if (failure) throw (failure as { readonly error: unknown }).error;
}
