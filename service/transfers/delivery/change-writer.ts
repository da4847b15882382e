import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalChange } from './ports.ts';

export interface ChangeWriter<Change = JournalChange> {
  /** Resolves when the change is durable. */
  write(change: Change): Promise<void>;
  /** The same for what nobody waits for. */
  writeLater(change: Change): void;
  /** Resolves when all changes so far are durable. */
  flush(): Promise<void>;
}

interface Waiting<Change> {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const maxChanges = 1_000;
/** A pause after a write, in times of what the write took: a busy database gets fewer and larger ones. */
const pauseTimes = 2;
/** Milliseconds at most. */
const longestPause = 50;

/**
 * Writes changes in their order, one batch at a time: those that come while a batch is written, and in a
 * pause after it, are in the next one, so many small files share a write. After a failure nothing is written any more, and `failed` is called once.
 */
export function createChangeWriter<Change>(
  journal: { write(changes: readonly Change[]): Promise<void> },
  failed: (error: unknown) => void,
): ChangeWriter<Change> {
  const waiting: Waiting<Change>[] = [];
  let isWriting = false;
  let broken: { readonly error: unknown } | null = null;
  let idle: (() => void)[] = [];

  async function drain(): Promise<void> {
    while (waiting.length > 0 && !broken) {
      const batch = waiting.splice(0, maxChanges);
      const began = performance.now();
      try {
        await journal.write(batch.map(({ change }) => change));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        broken = { error };
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
        failed(error);
        break;
      }
      const pause = Math.min((performance.now() - began) * pauseTimes, longestPause);
      if (pause >= 1 && waiting.length < maxChanges) await sleep(pause);
    }
    isWriting = false;
    for (const resolve of idle) resolve();
    idle = [];
  }

  const write = (change: Change): Promise<void> =>
    new Promise((resolve, reject) => {
      if (broken) {
        reject(broken.error);
        return;
      }
      waiting.push({ change, resolve, reject });
      if (isWriting) return;
      isWriting = true;
      // After this turn of the event loop, so that files that were begun together share a write.
      setImmediate(() => void drain());
    });

  return {
    write,
    writeLater(change) {
      write(change).catch(() => undefined);
    },
    async flush() {
      if (isWriting) await new Promise<void>((resolve) => idle.push(resolve));
      if (broken) throw broken.error;
    },
  };
}
