import type { Clock } from '../ports.ts';

/** Waiting that can be cut short for everybody at once, e.g. because somebody has signed in. */
export interface Alarm {
  /** Resolves after so many milliseconds, or at the next `wake`; `null` waits for that alone. Rejects when the signal fires. */
  sleep(milliseconds: number | null, signal: AbortSignal): Promise<void>;
  wake(): void;
}

export function createAlarm(clock: Clock): Alarm {
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
