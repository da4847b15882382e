import type Database from 'better-sqlite3';
import type { Clock } from '../ports.ts';

/**
 * Group commit: writes join one open transaction, committed about every 20 ms, or after 2 ms where
 * somebody waits for it. A commit for each of many small files would cost more than their bytes.
 */
export interface Writer {
  /** Makes a change inside the open batch. Reads of this process see it at once. */
  write<T>(change: () => T): T;
  /** Resolves when everything written so far would survive the process; rejects if it was lost. */
  committed(): Promise<void>;
  /** Commits now. */
  flush(): void;
}

const idleMilliseconds = 20;
const waitedMilliseconds = 2;

interface Waiter {
  resolve(): void;
  reject(cause: unknown): void;
}

/** @param ended is told of the end of each batch: whether it is saved, or lost */
export function openWriter(db: Database.Database, clock: Clock, ended: (saved: boolean) => void = () => {}): Writer {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  let waiters: Waiter[] = [];
  let open = false;
  let cancelTimer: (() => void) | null = null;
  let hurried = false;

  const schedule = (milliseconds: number): void => {
    cancelTimer?.();
    cancelTimer = clock.after(milliseconds, () => {
      cancelTimer = null;
      try {
        flush();
      } catch {
        // The waiters have been told; changes that nobody waited for are found again by asking the service.
      }
    });
  };

  /** The batch is gone (a full disk makes SQLite roll back by itself): whoever waits must know. */
  const lose = (cause: unknown): void => {
    if (db.inTransaction) rollback.run();
    settle(false, (waiter) => waiter.reject(cause));
  };

  const settle = (saved: boolean, tell: (waiter: Waiter) => void): void => {
    open = false;
    hurried = false;
    cancelTimer?.();
    cancelTimer = null;
    const told = waiters;
    waiters = [];
    ended(saved);
    for (const waiter of told) tell(waiter);
  };

  function flush(): void {
    if (!open) return;
    try {
      commit.run();
    } catch (cause) {
      lose(cause);
      throw cause;
    }
    settle(true, (waiter) => waiter.resolve());
  }

  return {
    write(change) {
      if (!open) {
        begin.run();
        open = true;
        schedule(idleMilliseconds);
      }
      try {
        return change();
      } catch (cause) {
        if (!db.inTransaction) lose(cause);
        throw cause;
      }
    },
    committed() {
      if (!open) return Promise.resolve();
      const promise = new Promise<void>((resolve, reject) => {
        waiters.push({ resolve, reject });
      });
      if (!hurried) {
        hurried = true;
        schedule(waitedMilliseconds);
      }
      return promise;
    },
    flush,
  };
}
