import { accessSync, constants, copyFileSync, renameSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { systemCode, wordsOf } from '../errors.ts';
import { addFunctions } from './lists.ts';
import type { Migration } from './migrations/index.ts';

/** Detects a damaged state file, and moves it aside. A damaged file is never deleted. */

/** The damage found, in words for the log. */
class DamagedState extends Error {
  override readonly name = 'DamagedState';
  readonly code = 'SQLITE_CORRUPT';
}

/** In larger files, indexes are not compared with their tables, which would take seconds at every start. */
const wholeCheckBytes = 64 * 1024 * 1024;

/** Throws `DamagedState`, or SQLite's own error. */
export function checkPages(db: Database.Database): void {
  const bytes = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  const finding = db.pragma(bytes > wholeCheckBytes ? 'quick_check(1)' : 'integrity_check(1)', { simple: true });
  if (finding !== 'ok') throw new DamagedState(String(finding));
}

/** What `tablesOf` says of a whole state of each version: making one takes most of the time that opening a file takes. */
const models = new WeakMap<readonly Migration[], Map<number, string>>();

function modelOf(migrations: readonly Migration[], version: number): string {
  const known = models.get(migrations) ?? new Map<number, string>();
  models.set(migrations, known);
  const before = known.get(version);
  if (before !== undefined) return before;
  const model = new Database(':memory:');
  try {
    addFunctions(model);
    for (const migration of migrations) if (migration.version <= version) model.exec(migration.sql);
    const tables = tablesOf(model);
    known.set(version, tables);
    return tables;
  } finally {
    model.close();
  }
}

/** Whether the tables are those of this version of the state; if not, it is another program's file, or its header is damaged. */
export function checkTables(db: Database.Database, migrations: readonly Migration[], version: number): void {
  if (tablesOf(db) !== modelOf(migrations, version)) throw new DamagedState(`the tables are not those of state ${version}`);
  checkTriggers(db);
}

/**
 * Tables, columns, indexes and what refers to what as text: the stored SQL of an altered table depends on SQLite's version, but not
 * the conditions in it.
 */
function tablesOf(db: Database.Database): string {
  const objects = db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
    )
    .all();
  const columns = db.prepare<[string], unknown>('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?) ORDER BY cid');
  const indexed = db.prepare<[string], unknown>('SELECT name, "desc", coll, key FROM pragma_index_xinfo(?) ORDER BY seqno');
  const referred = db.prepare<[string], unknown>(
    'SELECT "table", "from", "to", on_update, on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq',
  );
  return JSON.stringify(
    objects.map(({ sql, ...object }) =>
      object.type === 'index'
        ? [object, indexed.all(object.name)]
        : [object, columns.all(object.name), referred.all(object.name), conditionsIn(sql ?? '')],
    ),
  );
}

const conditionsIn = (sql: string): readonly string[] => sql.replace(/\s+/g, ' ').match(/CHECK \([^()]*\([^()]*\)\)/g) ?? [];

/** What triggers say is looked at by SQLite as late as something is written, and fails then. */
function checkTriggers(db: Database.Database): void {
  const tables = db.prepare<[], string>("SELECT DISTINCT tbl_name FROM sqlite_master WHERE type = 'trigger'").pluck().all();
  for (const table of tables) {
    try {
      db.prepare(`DELETE FROM "${table}"`);
    } catch (cause) {
      throw new DamagedState(`a trigger of ${table} is not what it was: ${wordsOf(cause)}`);
    }
  }
}

/** Whether opening failed because of the file's content. */
export function isDamage(cause: unknown, path: string): boolean {
  const code = systemCode(cause);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code) || wordsOf(cause) === 'unsupported file format') return true;
  // A header that requires a later SQLite version makes a writable file read-only.
  return /^SQLITE_READONLY/.test(code) && isWritable(path);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** SQLite's smallest page. */
const smallestFile = 512;

const sizeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.size ?? null;

/** An existing file of zero bytes. It may belong to another agent that is just starting, so it is not moved. */
export const isEmpty = (path: string): boolean => sizeOf(path) === 0;

/** A file so short that SQLite treats it as new, although it is not: SQLite would discard the log beside it. */
export function isStump(path: string): boolean {
  const size = sizeOf(path);
  return size !== null && size < smallestFile && (size > 0 || (sizeOf(`${path}-wal`) ?? 0) > 0);
}

const parts = ['', '-wal', '-shm'];

/** Renames the file and its related files, or copies them to a new name. */
export function setAside(path: string, now: number, how: 'move' | 'copy'): string {
  const aside = freeName(`${path}.damaged-${new Date(now).toISOString().replaceAll(':', '')}`);
  for (const suffix of parts) {
    if (!statSync(path + suffix, { throwIfNoEntry: false })) continue;
    if (how === 'move') renameSync(path + suffix, aside + suffix);
    else copyFileSync(path + suffix, aside + suffix, constants.COPYFILE_EXCL);
  }
  return aside;
}

function freeName(wanted: string): string {
  const isTaken = (name: string): boolean => parts.some((suffix) => statSync(name + suffix, { throwIfNoEntry: false }) !== undefined);
  let name = wanted;
  for (let number = 2; isTaken(name); number++) name = `${wanted}-${number}`;
  return name;
}
