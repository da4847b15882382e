import { backoffDelay } from '#client/backoff.ts';
import { passesByItself, remedyFor } from '#client/faults.ts';
import type { Sleep } from '#client/ports.ts';

export interface PerseverancePorts {
  readonly sleep: Sleep;
  readonly random: () => number;
  /** A request succeeded. */
  readonly onSuccess: () => void;
  /** A temporary failure. */
  readonly onFailure: (fault: unknown) => void;
}

export interface Perseverance {
  /** Retries the work after temporary failures; throws every other failure, and when aborted. */
  keepTrying<T>(work: () => Promise<T>, signal: AbortSignal, onFailure?: (fault: unknown) => void): Promise<T>;
  /** Ends all backoff waits at once: the connection is back. */
  wake(): void;
}

export function createPerseverance({ sleep, random, onSuccess, onFailure }: PerseverancePorts): Perseverance {
  let woken = Promise.withResolvers<void>();

  async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const enough = new AbortController();
    const sleeping = sleep(milliseconds, AbortSignal.any([signal, enough.signal])).catch(() => undefined);
    await Promise.race([sleeping, woken.promise]);
    enough.abort();
  }

  return {
    async keepTrying(work, signal, onOwnFailure) {
      for (let failures = 1; ; failures++) {
        try {
          const result = await work();
          onSuccess();
          return result;
        } catch (fault) {
          signal.throwIfAborted();
          const remedy = remedyFor(fault);
          if (!passesByItself(remedy)) throw fault;
          onOwnFailure?.(fault);
          onFailure(fault);
          await wait(remedy.kind === 'again_after' ? remedy.seconds * 1_000 : backoffDelay(failures, random), signal);
          signal.throwIfAborted();
        }
      }
    },
    wake() {
      woken.resolve();
      woken = Promise.withResolvers<void>();
    },
  };
}
