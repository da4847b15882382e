import { remedyFor } from '#client/faults.ts';
import type { Sleep } from '#client/ports.ts';
import { backoffFor, retryUntilDone } from '#client/retry-until-done.ts';

interface WakeableRetryPorts {
  readonly sleep: Sleep;
  readonly random: () => number;
  /** A request succeeded. */
  readonly onSuccess: () => void;
  /** A temporary failure. */
  readonly onFailure: (fault: unknown) => void;
}

interface WakeableRetry {
  /** Retries the work after temporary failures; throws every other failure, and when aborted. */
  retryWithWake<T>(work: () => Promise<T>, signal: AbortSignal, onFailure?: (fault: unknown) => void): Promise<T>;
  /** Ends all backoff waits at once: the connection is back. */
  wake(): void;
}

export function createWakeableRetry({ sleep, random, onSuccess, onFailure }: WakeableRetryPorts): WakeableRetry {
  let woken = Promise.withResolvers<void>();

  async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const enough = new AbortController();
    const sleeping = sleep(milliseconds, AbortSignal.any([signal, enough.signal])).catch(() => undefined);
    await Promise.race([sleeping, woken.promise]);
    enough.abort();
  }

  return {
    async retryWithWake(work, signal, onOwnFailure) {
      const result = await retryUntilDone(work, {
        signal,
        pauseAfter: (fault, failures) => backoffFor(remedyFor(fault), failures, random, { grows: false }) ?? 'never',
        wait(pause, fault) {
          onOwnFailure?.(fault);
          onFailure(fault);
          return wait(pause ?? 0, signal);
        },
      });
      onSuccess();
      return result;
    },
    wake() {
      woken.resolve();
      woken = Promise.withResolvers<void>();
    },
  };
}
