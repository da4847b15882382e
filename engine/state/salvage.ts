import type Database from 'better-sqlite3';
import type { Sealer } from '../secrets/seal.ts';
import { setAside } from './damage.ts';
import type { OpenedDatabase } from './database.ts';
import { type Row, recordIn } from './transfers.ts';

/**
 * What to do about transfers and settings that cannot be read: a damaged byte may spoil one and leave the file's
 * structure whole, and secrets do not open without the key that sealed them. Those are taken out, so that the others go
 * on, after the whole file was copied aside. Gives sentences that the person should know.
 */

/** Looks at all settings, of which there are few. */
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

/** Rows looked at in one go: some 10 ms. */
const rowsAtOnce = 250;

/**
 * Looks at every transfer, which takes seconds where there are a hundred thousand: for when one was met that cannot be
 * read. Halts in between, so that other work gets its turn; what is left then is met again.
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
