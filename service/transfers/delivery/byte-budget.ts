/** Bounds the bytes in buffers. First come, first served, so that a large part is not overtaken for ever. */
export interface ByteBudget {
  readonly capacity: number;
  /** Resolves when so many bytes are free; the returned function gives them back. Rejects with the signal's reason. */
  acquire(bytes: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  readonly bytes: number;
  readonly start: () => void;
}

/** More than `capacity` at once is taken for all of it. */
export function createByteBudget(capacity: number): ByteBudget {
  let free = capacity;
  const waiters: Waiter[] = [];

  const startWaiters = (): void => {
    for (let first = waiters[0]; first && first.bytes <= free; first = waiters[0]) {
      waiters.shift();
      first.start();
    }
  };

  const take = (bytes: number): (() => void) => {
    free -= bytes;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      free += bytes;
      startWaiters();
    };
  };

  return {
    capacity,
    acquire(wanted, signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      const bytes = Math.min(wanted, capacity);
      if (waiters.length === 0 && bytes <= free) return Promise.resolve(take(bytes));
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiters.splice(waiters.indexOf(waiter), 1);
          reject(signal.reason as Error);
          startWaiters();
        };
        const waiter: Waiter = {
          bytes,
          start() {
            signal.removeEventListener('abort', abort);
            resolve(take(bytes));
          },
        };
        waiters.push(waiter);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
  };
}
