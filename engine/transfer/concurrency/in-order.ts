import { maxOpenLargeFiles } from './limits.ts';

/**
 * Starts the large files of a transfer in order, and only as many as use all connections. So each file completes soon
 * after it begins, and a cut or a pause loses little. First come, first served.
 */
export interface InOrder {
  /** Resolves when a file with this many remaining chunks may begin. Rejects when the signal fires. */
  enter(chunks: number, signal: AbortSignal): Promise<OpenFile>;
  /** The concurrency may have grown. */
  changed(): void;
}

export interface OpenFile {
  /** One of its chunks has begun. */
  chunkBegan(): void;
  /** None of its chunks is in progress any more. */
  leave(): void;
}

/**
 * Whether another file may begin: while the open files have fewer waiting chunks than there are connections. So a whole
 * round of chunks waits, and no connection is idle while the next file is created.
 */
export function mayBegin(line: { readonly open: number; readonly waiting: number; readonly concurrency: number }): boolean {
  return line.open < maxOpenLargeFiles && line.waiting < line.concurrency;
}

/** @param concurrency connections that the transfer uses at this moment */
export function createInOrder(concurrency: () => number): InOrder {
  let openFiles = 0;
  let waiting = 0;
  const queue: { readonly chunks: number; readonly go: (file: OpenFile) => void }[] = [];

  function open(chunks: number): OpenFile {
    let left = chunks;
    let isOpen = true;
    openFiles++;
    waiting += left;
    const less = (count: number): void => {
      left -= count;
      waiting -= count;
      changed();
    };
    return {
      // A failed chunk begins again; it was counted already.
      chunkBegan: () => less(Math.min(1, left)),
      leave() {
        if (!isOpen) return;
        isOpen = false;
        openFiles--;
        less(left);
      },
    };
  }

  function changed(): void {
    while (queue.length > 0 && mayBegin({ open: openFiles, waiting, concurrency: concurrency() })) {
      const { chunks, go } = queue.shift()!;
      go(open(chunks));
    }
  }

  return {
    async enter(chunks, signal) {
      signal.throwIfAborted();
      if (queue.length === 0 && mayBegin({ open: openFiles, waiting, concurrency: concurrency() })) return open(chunks);
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          queue.splice(queue.indexOf(waiter), 1);
          reject(signal.reason);
        };
        const waiter = {
          chunks,
          go(file: OpenFile) {
            signal.removeEventListener('abort', abort);
            resolve(file);
          },
        };
        queue.push(waiter);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
    changed,
  };
}
