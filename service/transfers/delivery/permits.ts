import pLimit from 'p-limit';

/** To ask something of a provider. */
export interface Permit {
  /** Leaves the permit to another file while `work` goes on, which asks nothing of the provider, and waits to have it back. */
  releaseDuring(work: () => Promise<void>): Promise<void>;
  release(): void;
}

export interface Permits {
  /** First come, first served. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<Permit>;
}

/**
 * A semaphore: of the files under way so many may ask something of the provider at the same time. A small file waits for its
 * note in the journal about as long as for the provider; if it kept its permit, half of the connections would be idle.
 *
 * Who has a permit must not wait for memory, since those who wait for a permit have some.
 */
export function createPermits(limit: number): Permits {
  const queue = pLimit(limit);
  const acquire = async (signal: AbortSignal): Promise<() => void> => {
    const release = await new Promise<() => void>((acquired) => void queue(() => new Promise<void>(acquired)));
    if (signal.aborted) release();
    signal.throwIfAborted();
    return release;
  };

  return {
    async acquire(signal) {
      signal.throwIfAborted();
      let release = await acquire(signal);
      return {
        async releaseDuring(work) {
          release();
          await work();
          release = await acquire(signal);
        },
        release: () => release(),
      };
    },
  };
}
