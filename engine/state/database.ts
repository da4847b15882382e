import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { EngineError, systemCode, wordsOf } from '../errors.ts';
import { isLogDamaged } from './change-log.ts';
import { checkPages, checkTables, isDamage, isEmpty, isStump, setAside } from './damage.ts';
import { addFunctions } from './lists.ts';
import { migrations as allMigrations, type Migration } from './migrations/index.ts';

export interface OpenedDatabase {
  readonly db: Database.Database;
  readonly path: string;
  /** Sentences for the person, e.g. that a damaged file was set aside. */
  readonly warnings: readonly string[];
}

export interface OpenOptions {
  readonly now: number;
  readonly migrations?: readonly Migration[];
  /** How long to wait for another agent that is shutting down. Milliseconds. */
  readonly busyTimeoutMs?: number;
}

const fileName = 'agent.db';
/** Maximum bytes of the log beside the file after a checkpoint. */
const logBytes = 16 * 1024 * 1024;

/**
 * Opens the agent's state, and creates or migrates it. One process at a time: SQLite's exclusive locking mode holds the
 * lock until the process ends for any reason, so there is no stale lock to clean up. A damaged file is renamed, never
 * deleted; a file of a newer agent is refused.
 */
export function openDatabase(folder: string, options: OpenOptions): OpenedDatabase {
  makeFolder(folder);
  const path = join(folder, fileName);
  const open = (): Opened => openFile(path, folder, { migrations: allMigrations, busyTimeoutMs: 1_000, ...options });
  try {
    const empty = isEmpty(path);
    if (!isStump(path)) {
      const { db, logCopy } = open();
      return { db, path, warnings: [...(empty ? [wasEmpty(path)] : []), ...(logCopy === null ? [] : [logWasDamaged(logCopy)])] };
    }
  } catch (cause) {
    if (!isDamage(cause, path)) throw asEngineError(cause, folder);
  }
  try {
    const aside = setAside(path, options.now, 'move');
    const warning = `The agent's state file was damaged. It is kept as ${aside}, and a new one was begun: earlier transfers are not listed.`;
    return { db: open().db, path, warnings: [warning] };
  } catch (cause) {
    throw asEngineError(cause, folder);
  }
}

const wasEmpty = (path: string): string => `${path} was empty, so no earlier transfers are listed.`;

const logWasDamaged = (aside: string): string =>
  `The log of the agent's last changes was damaged, so the last of them may be missing; what they held is found out again where it can be. The files as they were are kept as ${aside}.`;

function makeFolder(folder: string): void {
  try {
    makeDirs(folder, 0o700);
  } catch (cause) {
    throw new EngineError('data_folder_unusable', `The data folder ${folder} cannot be made: ${wordsOf(cause)}. Choose another one.`, {
      cause,
    });
  }
}

interface Opened {
  readonly db: Database.Database;
  /** Path of the copies, made because the log beside the state was damaged. */
  readonly logCopy: string | null;
}

function openFile(path: string, folder: string, { migrations, busyTimeoutMs, now }: Required<OpenOptions>): Opened {
  const db = new Database(path, { timeout: busyTimeoutMs });
  try {
    addFunctions(db);
    db.pragma('locking_mode = EXCLUSIVE');
    // Only in a new file: otherwise this would write to a file that may be damaged.
    if (db.pragma('page_count', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL');
    for (const suffix of ['', '-wal', '-shm']) keepToOwner(path + suffix);
    // Before anything is written.
    checkPages(db);
    // SQLite ignores what it cannot read, and would overwrite it; this process already has the lock.
    const logCopy = isLogDamaged(`${path}-wal`) ? setAside(path, now, 'copy') : null;
    const present = versionOf(db, folder, migrations);
    checkTables(db, migrations, present);
    db.pragma('journal_mode = WAL');
    db.pragma(`journal_size_limit = ${logBytes}`);
    // Survives a killed process. A power cut may lose the last commits, never the file's consistency, and their content
    // is requested from the service again.
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    db.pragma('temp_store = MEMORY');
    // KiB. Files are read in order, so a larger cache (16 MiB by default) uses memory and, as measured, saves nothing.
    db.pragma('cache_size = -2000');
    migrate(db, migrations, present);
    makeCompactable(db);
    return { db, logCopy };
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** A folder created by someone else may be open to all. SQLite gives the files beside it the same permissions as this one. */
function keepToOwner(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch {
    // The file is missing, or its disk has no permissions.
  }
}

function versionOf(db: Database.Database, folder: string, migrations: readonly Migration[]): number {
  const known = migrations.at(-1)?.version ?? 0;
  const present = Number(db.pragma('user_version', { simple: true }));
  if (present <= known) return present;
  throw new EngineError(
    'data_folder_newer',
    `The data folder ${folder} was used by a newer Longshore (state ${present}; this one knows ${known}). Update Longshore, or choose another folder.`,
  );
}

function migrate(db: Database.Database, migrations: readonly Migration[], present: number): void {
  for (const migration of migrations) {
    if (migration.version <= present) continue;
    db.transaction(() => {
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
    }).immediate();
  }
  // The lock is taken now, even without a migration, so that a second agent is refused at its start.
  db.exec('BEGIN IMMEDIATE; COMMIT');
}

const incremental = 2;

/** Rebuilds a file of an earlier version once, so that its free pages can be returned. */
function makeCompactable(db: Database.Database): void {
  if (Number(db.pragma('auto_vacuum', { simple: true })) === incremental) return;
  try {
    db.pragma('auto_vacuum = INCREMENTAL');
    db.exec('VACUUM');
  } catch (cause) {
    // This temporarily needs the file's size again. Without enough space the file stays unchanged, and the next start
    // retries.
    if (!systemCode(cause).startsWith('SQLITE_FULL')) throw cause;
  }
}

function asEngineError(cause: unknown, folder: string): unknown {
  if (cause instanceof EngineError) return cause;
  const code = systemCode(cause);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new EngineError(
      'data_folder_in_use',
      `Another Longshore agent is using the data folder ${folder}. Stop it, or choose another folder.`,
      { cause },
    );
  }
  return new EngineError(
    'data_folder_unusable',
    `The data folder ${folder} cannot be used: ${wordsOf(cause)}. Check its permissions and the free space, or choose another folder.`,
    { cause },
  );
}
