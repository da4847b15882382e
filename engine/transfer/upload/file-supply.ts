/** Puts files into the files table while others are already being sent. */
export interface FileSupply {
  /** Starts, if there is something to do and it does not run. */
  ensure(): void;
  readonly running: boolean;
  /** Whether each file has a larger id than those before, so that whoever is past an id can wait for the next. */
  readonly ascending: boolean;
  /** Resolves when the table has more files or it has ended; rejects with the error that ended it. */
  nextUpdate(): Promise<void>;
  /** Stops it; resolves when nothing of it runs any more. */
  close(): Promise<void>;
}

/** The part of a `FileSupply` that does not depend on what it does: `work` runs until it ends, and says when there are files. */
export function createFileSupply({
  ascending,
  isDue,
  work,
}: {
  readonly ascending: boolean;
  readonly isDue: () => boolean;
  readonly work: (tell: () => void, closing: AbortSignal) => Promise<void>;
}): FileSupply {
  let working: Promise<void> | null = null;
  let nextUpdate = Promise.withResolvers<void>();
  const closing = new AbortController();
  const tell = (): void => {
    nextUpdate.resolve();
    nextUpdate = Promise.withResolvers<void>();
  };
  return {
    ascending,
    ensure() {
      if (working || !isDue()) return;
      working = work(tell, closing.signal).finally(() => {
        working = null;
      });
      working.then(tell, (error: unknown) => {
        // Waiters get this error; without waiters, the next `ensure` meets it again.
        nextUpdate.promise.catch(() => {});
        nextUpdate.reject(error);
        nextUpdate = Promise.withResolvers<void>();
      });
    },
    get running() {
      return working !== null;
    },
    nextUpdate: () => nextUpdate.promise,
    async close() {
      closing.abort();
      await working?.catch(() => {});
    },
  };
}
