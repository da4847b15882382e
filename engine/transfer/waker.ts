import type { Clock } from '../ports.ts';

/** A sleep that can be ended early for all waiters at once, e.g. because a person has signed in. */
export interface Waker {
  /** Resolves after this time, or at the next `wake`; with `null` only at the next `wake`. Rejects when the signal fires. */
  sleep(milliseconds: number | null, signal: AbortSignal): Promise<void>;
  wake(): void;
}

export function createWaker(clock: Clock): Waker {
  const sleepers = new Set<() => void>();
  return {
    sleep(milliseconds, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const end = (): void => {
          cancel();
          sleepers.delete(wakeUp);
          signal.removeEventListener('abort', abort);
        };
        const wakeUp = (): void => {
          end();
          resolve();
        };
        const abort = (): void => {
          end();
          reject(signal.reason);
        };
        const cancel = milliseconds === null ? () => {} : clock.after(milliseconds, wakeUp);
        sleepers.add(wakeUp);
        signal.addEventListener('abort', abort);
      });
    },
    wake() {
      for (const wakeUp of [...sleepers]) wakeUp();
    },
  };
}
