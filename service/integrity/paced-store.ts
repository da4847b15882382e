import { setTimeout as sleep } from 'node:timers/promises';
import type { FileStore } from '../backup/ports.ts';

/** The same store, read at this rate at most, in bytes a second; `null` is no limit. Reads reject with the signal's reason. */
export function pacedStore(store: FileStore, rate: number | null, signal: AbortSignal): FileStore {
  /** When the bytes so far are due, in ms of `performance.now()`. */
  let due = 0;
  return {
    ...store,
    async *read(path, size) {
      for await (const piece of store.read(path, size)) {
        signal.throwIfAborted();
        if (rate !== null) {
          due = Math.max(due, performance.now()) + (piece.length / rate) * 1000;
          const wait = due - performance.now();
          if (wait > 0) await sleep(wait, undefined, { signal });
        }
        yield piece;
      }
    },
  };
}
