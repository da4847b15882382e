/** A weighted semaphore over all transfers: each piece of work takes as many slots as its weight. First come, first served. */
export interface Slots {
  /** Resolves when enough slots are free; call the returned function to release them. Rejects when the signal fires first. */
  take(weight: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  readonly weight: number;
  readonly go: () => void;
}

export function createSlots(capacity: number): Slots {
  let free = capacity;
  const waiters: Waiter[] = [];

  const admit = (): void => {
    for (let first = waiters[0]; first && first.weight <= free; first = waiters[0]) {
      waiters.shift();
      free -= first.weight;
      first.go();
    }
  };

  const giveBack = (weight: number): (() => void) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      free += weight;
      admit();
    };
  };

  return {
    async take(wanted, signal) {
      signal.throwIfAborted();
      const weight = Math.min(wanted, capacity);
      if (waiters.length === 0 && weight <= free) {
        free -= weight;
        return giveBack(weight);
      }
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiters.splice(waiters.indexOf(waiter), 1);
          reject(signal.reason);
          admit();
        };
        const waiter: Waiter = {
          weight,
          go() {
            signal.removeEventListener('abort', abort);
            resolve(giveBack(weight));
          },
        };
        waiters.push(waiter);
        signal.addEventListener('abort', abort);
      });
    },
  };
}
