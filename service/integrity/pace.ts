import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once so many bytes more may be read. Rejects with the signal's reason. */
export type Pace = (bytes: number) => Promise<void>;

/** `rate`: bytes a second at most, of all who ask together; `null` is no limit. */
export function createPace(rate: number | null, signal: AbortSignal): Pace {
  /** When the bytes so far are due, in ms of `performance.now()`. */
  let due = 0;
  return async (bytes) => {
    signal.throwIfAborted();
    if (rate === null) return;
    due = Math.max(due, performance.now()) + (bytes / rate) * 1000;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait, undefined, { signal });
  };
}
