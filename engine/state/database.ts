import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { EngineError, systemCode, wordsOf } from '../errors.ts';
import { migrations as allMigrations, type Migration } from './migrations/index.ts';

export interface OpenedDatabase {
  readonly db: Database.Database;
  /** Sentences that the person should know, e.g. that a damaged file was set aside. */
  readonly warnings: readonly string[];
}

export interface OpenOptions {
  readonly now: number;
  readonly migrations?: readonly Migration[];
  /** How long to wait for another agent that is just ending. Milliseconds. */
  readonly patience?: number;
}

const fileName = 'agent.db';
const damaged = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

/**
 * Opens the agent's state, making or migrating it. One process at a time: SQLite's exclusive locking
 * mode holds the file until the process ends, however it ends, so there is no stale lock to clean up.
 * A damaged file is set aside under another name, never deleted; one of a newer agent is refused.
 */
export function openDatabase(folder: string, options: OpenOptions): OpenedDatabase {
  makeFolder(folder);
  const path = join(folder, fileName);
  const migrations = options.migrations ?? allMigrations;
  try {
    return { db: openFile(path, folder, migrations, options.patience ?? 1_000), warnings: [] };
  } catch (cause) {
    if (!damaged.has(systemCode(cause).replace(/^(SQLITE_[A-Z]+).*/, '$1'))) throw asEngineError(cause, folder);
  }
  const aside = setAside(path, options.now);
  try {
    const db = openFile(path, folder, migrations, options.patience ?? 1_000);
    return {
      db,
      warnings: [`The agent's state file was damaged. It is kept as ${aside}, and a new one was begun: earlier transfers are not listed.`],
    };
  } catch (cause) {
    throw asEngineError(cause, folder);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new EngineError('data_folder_unusable', `The data folder ${folder} cannot be made: ${wordsOf(cause)}. Choose another one.`, {
      cause,
    });
  }
}

function openFile(path: string, folder: string, migrations: readonly Migration[], patience: number): Database.Database {
  const db = new Database(path, { timeout: patience });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    // Survives a killed process. A power cut may lose the last commits, never the file's consistency,
    // and what they held is asked of the service again.
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    db.pragma('temp_store = MEMORY');
    // KiB. Files are gone through in order, so more pages at hand (16 MiB by default) take memory and, measured, save nothing.
    db.pragma('cache_size = -2000');
    const finding = db.pragma('quick_check(1)', { simple: true });
    if (finding !== 'ok') throw Object.assign(new Error(String(finding)), { code: 'SQLITE_CORRUPT' });
    migrate(db, folder, migrations);
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

function migrate(db: Database.Database, folder: string, migrations: readonly Migration[]): void {
  const known = migrations.at(-1)?.version ?? 0;
  const present = Number(db.pragma('user_version', { simple: true }));
  if (present > known) {
    throw new EngineError(
      'data_folder_newer',
      `The data folder ${folder} was used by a newer Longshore (state ${present}; this one knows ${known}). Update Longshore, or choose another folder.`,
    );
  }
  for (const migration of migrations) {
    if (migration.version <= present) continue;
    db.transaction(() => {
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
    }).immediate();
  }
  // Taking the lock now, even with nothing to migrate, tells a second agent at its start.
  db.exec('BEGIN IMMEDIATE; COMMIT');
}

function setAside(path: string, now: number): string {
  const aside = `${path}.damaged-${new Date(now).toISOString().replaceAll(':', '')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      statSync(path + suffix);
      renameSync(path + suffix, aside + suffix);
    } catch (cause) {
      if (systemCode(cause) !== 'ENOENT') throw asEngineError(cause, path);
    }
  }
  return aside;
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
