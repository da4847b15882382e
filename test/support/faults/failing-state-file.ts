import Database from 'better-sqlite3';
import { type OpenedDatabase, type OpenOptions, openDatabase } from '#engine/state/database.ts';

/** What a state file's next writes meet. */
export interface FailingState {
  readonly open: (folder: string, options: OpenOptions) => OpenedDatabase;
  /** Fails the write of this number from now on, the first being 1; none where it is `null`. */
  failAt(number: number | null): void;
  /** Fails the first write whose SQL begins so; none where it is `null`. */
  failFirst(beginning: string | null): void;
  /** Fails every write for which this says so, told its SQL; the statement alone fails. */
  failWhere(fails: ((sql: string) => boolean) | null): void;
  /** The statement that failed since the last `failAt`; empty where none has. */
  readonly failed: string;
  /** How many writes there were since then. */
  readonly writes: number;
}

/** How writes fail: the disk is full, or has a fault, or another program holds the file. */
export const writeFaults = {
  SQLITE_FULL: 'database or disk is full',
  SQLITE_IOERR_WRITE: 'disk I/O error',
  SQLITE_BUSY: 'database is locked',
} as const;
const writing = /^\s*(INSERT|UPDATE|DELETE|BEGIN|COMMIT)/i;

/**
 * A state file of which one write fails, as on a full disk unless said otherwise. As SQLite does, a statement that fails rolls the open
 * transaction back (every second time), or only itself; a failed COMMIT leaves it open.
 */
export function failingState(code: keyof typeof writeFaults = 'SQLITE_FULL'): FailingState {
  const fault = (): Error => new Database.SqliteError(writeFaults[code], code);
  let failing: number | null = null;
  let first: string | null = null;
  let writes = 0;
  let failed = '';
  let fails: ((sql: string) => boolean) | null = null;

  const meet = (db: Database.Database, sql: string): void => {
    if (fails?.(sql.trim())) throw fault();
    const isFirst = first !== null && sql.trim().startsWith(first);
    if (++writes !== failing && !isFirst) return;
    first = null;
    failed = sql.trim();
    if (db.inTransaction && writes % 2 === 0 && !/^\s*COMMIT/i.test(sql)) db.exec('ROLLBACK');
    throw fault();
  };

  const bound = (target: object, property: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, property, target);
    return typeof value === 'function' ? value.bind(target) : value;
  };

  return {
    open(folder, options) {
      const opened = openDatabase(folder, options);
      const db = new Proxy(opened.db, {
        get(target, property) {
          if (property !== 'prepare') return bound(target, property);
          return (sql: string) => {
            const statement = target.prepare(sql);
            if (!writing.test(sql)) return statement;
            return new Proxy(statement, {
              get(of, name) {
                if (name !== 'run') return bound(of, name);
                return (...values: unknown[]) => {
                  meet(target, sql);
                  return of.run(...values);
                };
              },
            });
          };
        },
      });
      return { ...opened, db };
    },
    failAt(number) {
      failing = number;
      first = null;
      writes = 0;
      failed = '';
    },
    failFirst(beginning) {
      this.failAt(null);
      first = beginning;
    },
    failWhere(next) {
      fails = next;
    },
    get failed() {
      return failed;
    },
    get writes() {
      return writes;
    },
  };
}
