/** A weighted semaphore over all transfers: each piece of work takes as many permits as its weight. First come, first served. */
export interface WeightedSemaphore {
  /** Resolves when enough permits are free; call the returned function to release them. Rejects when the signal fires first. */
  acquire(weight: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  readonly weight: number;
  readonly go: () => void;
}

export function createWeightedSemaphore(capacity: number): WeightedSemaphore {
  let free = capacity;
  const waiters: Waiter[] = [];

  const startWaiting = (): void => {
    for (let first = waiters[0]; first && first.weight <= free; first = waiters[0]) {
      waiters.shift();
      free -= first.weight;
      first.go();
    }
  };

  const releaseOf = (weight: number): (() => void) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      free += weight;
      startWaiting();
    };
  };

  return {
    async acquire(wanted, signal) {
      signal.throwIfAborted();
      const weight = Math.min(wanted, capacity);
      if (waiters.length === 0 && weight <= free) {
        free -= weight;
        return releaseOf(weight);
      }
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiters.splice(waiters.indexOf(waiter), 1);
          reject(signal.reason);
          startWaiting();
        };
        const waiter: Waiter = {
          weight,
          go() {
            signal.removeEventListener('abort', abort);
            resolve(releaseOf(weight));
          },
        };
        waiters.push(waiter);
        signal.addEventListener('abort', abort);
      });
    },
  };
}
