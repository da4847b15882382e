import type Database from 'better-sqlite3';
import type { Sealer } from '../secrets/seal.ts';
import { setAside } from './damage.ts';
import type { OpenedDatabase } from './database.ts';
import { type Row, recordIn } from './transfers.ts';

/**
 * Handles unreadable transfers and settings: a damaged byte may corrupt one of them and leave the file's structure
 * intact, and secrets cannot be opened without the key that sealed them. The whole file is copied first; then they are
 * removed, so that the others continue. Returns sentences for the person.
 */

/** Checks all settings, of which there are few. */
export function salvageSettings({ db, path }: OpenedDatabase, now: number): readonly string[] {
  const unreadable = db
    .prepare<[], { name: string; value: string }>('SELECT name, value FROM settings')
    .all()
    .filter(({ value }) => !isJson(value));
  if (unreadable.length === 0) return [];
  const aside = copyAside(db, path, now);
  const remove = db.prepare('DELETE FROM settings WHERE name = ?');
  db.transaction(() => {
    for (const { name } of unreadable) remove.run(name);
  })();
  return [wasDamaged(`${unreadable.length} of its settings, which are as at the beginning`, aside)];
}

/** Rows checked at once: some 10 ms. */
const rowsAtOnce = 250;

/**
 * Checks every transfer, which takes seconds for a hundred thousand: used after an unreadable one was found. Yields
 * between steps, so that other work gets its turn; an unreadable one that is left is found again.
 *
 * @param flush commits the open batch
 */
export function* salvageTransfers(
  { db, path }: OpenedDatabase,
  sealer: Sealer,
  { now, flush }: { readonly now: () => number; readonly flush: () => void },
): Generator<void, readonly string[]> {
  const some = db.prepare<[number, number], Row & { rowid: number }>(
    'SELECT rowid, * FROM transfers WHERE rowid > ? ORDER BY rowid LIMIT ?',
  );
  const unreadable: string[] = [];
  for (let last: number | undefined = 0; ; ) {
    const rows: (Row & { rowid: number })[] = some.all(last, rowsAtOnce);
    last = rows.at(-1)?.rowid;
    if (last === undefined) break;
    for (const row of rows) if (!recordIn(row, sealer)) unreadable.push(row.id);
    yield;
  }
  if (unreadable.length === 0) return [];
  flush();
  const aside = copyAside(db, path, now());
  const remove = db.prepare('DELETE FROM transfers WHERE id = ?');
  db.transaction(() => {
    for (const id of unreadable) remove.run(id);
  })();
  return [wasDamaged(`${unreadable.length} of its transfers, which are not listed any more`, aside)];
}

function copyAside(db: Database.Database, path: string, now: number): string {
  db.pragma('wal_checkpoint(TRUNCATE)');
  return setAside(path, now, 'copy');
}

const wasDamaged = (lost: string, aside: string): string =>
  `The agent's state file was damaged, or its secrets are sealed with another key: it could not read ${lost}. The file as it was is kept as ${aside}.`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
