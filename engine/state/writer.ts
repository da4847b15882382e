import type Database from 'better-sqlite3';
import { systemCode } from '../errors.ts';
import type { Clock } from '../ports.ts';

/**
 * Group commit: writes join one open transaction, committed about every 20 ms, or after 2 ms if a caller waits for it.
 * One commit for each of many small files would cost more than their bytes.
 */
export interface Writer {
  /**
   * Makes a change in the open batch. Reads of this process see it at once. If it throws, the whole batch is rolled
   * back: half a change must not be committed with the next one.
   */
  write<T>(change: () => T): T;
  /** Resolves when everything written so far survives the process; rejects if it was lost. */
  committed(): Promise<void>;
  /** Commits now. Throws if the batch was lost. */
  flush(): void;
  /**
   * Calls back at the end of each batch, before its waiters: with `null` when it is committed, otherwise with why it is
   * lost. In-memory state of a lost batch is invalid, and is read again from the database. If that read fails as well,
   * the listener drops its state before it reads.
   */
  onEnd(listener: (lost: Lost | null) => void): void;
}

/** Why a batch is lost. */
export interface Lost {
  readonly cause: unknown;
}

/** Temporary errors that a disk or another program causes for SQLite. The others are internal errors, or damage. */
const passing = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOMEM|CANTOPEN|PROTOCOL|READONLY)/;

/** Whether the same change may be written later. */
export function mayBeWrittenLater({ cause }: Lost): boolean {
  return passing.test(systemCode(cause));
}

const idleMilliseconds = 20;
const waitedMilliseconds = 2;

interface Waiter {
  resolve(): void;
  reject(cause: unknown): void;
}

export function openWriter(db: Database.Database, clock: Clock): Writer {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const listeners: ((lost: Lost | null) => void)[] = [];
  let waiters: Waiter[] = [];
  let open = false;
  let cancelTimer: (() => void) | null = null;
  let hurried = false;
  /** Depth of nested changes. */
  let depth = 0;
  /** Why the batch of the outermost change is lost, until that change ends. */
  let lostAmid: Lost | null = null;

  const schedule = (milliseconds: number): void => {
    cancelTimer?.();
    cancelTimer = clock.after(milliseconds, () => {
      cancelTimer = null;
      try {
        flush();
      } catch {
        // The listeners and waiters know already.
      }
    });
  };

  const rollBack = (): void => {
    try {
      // A full disk makes SQLite roll back by itself.
      if (db.inTransaction) rollback.run();
    } catch {
      // Retried before the next batch.
    }
  };

  const lose = (cause: unknown): void => {
    rollBack();
    const lost = { cause };
    if (depth > 0) lostAmid = lost;
    settle(lost);
  };

  const settle = (lost: Lost | null): void => {
    open = false;
    hurried = false;
    cancelTimer?.();
    cancelTimer = null;
    const settledWaiters = waiters;
    waiters = [];
    for (const listener of listeners) {
      try {
        listener(lost);
      } catch {
        // The listener could not read again, because the disk fails. The others are still called.
      }
    }
    for (const waiter of settledWaiters) {
      if (lost) waiter.reject(lost.cause);
      else waiter.resolve();
    }
  };

  function flush(): void {
    if (!open) return;
    try {
      commit.run();
    } catch (cause) {
      lose(cause);
      throw cause;
    }
    settle(null);
  }

  const ensureOpen = (): void => {
    if (open) return;
    rollBack();
    begin.run();
    open = true;
    schedule(idleMilliseconds);
  };

  return {
    write(change) {
      // The rest of a change whose beginning is lost.
      if (lostAmid) throw lostAmid.cause;
      depth++;
      try {
        ensureOpen();
        const result = change();
        // The outer change continued although a nested change failed.
        if (lostAmid) throw (lostAmid as Lost).cause;
        return result;
      } catch (cause) {
        if (!lostAmid) lose(cause);
        throw cause;
      } finally {
        depth--;
        if (depth === 0) lostAmid = null;
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
    onEnd: (listener) => void listeners.push(listener),
  };
}
