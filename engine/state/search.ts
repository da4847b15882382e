import type Database from 'better-sqlite3';

/** The search through the history (migrations/0015-search.ts). */
export interface Search {
  /** Adds names of about this many files of an older agent to what is searched. False when all are. */
  addNames(files: number): boolean;
}

const setting = 'file-names-from';
/** At most as many files, and as many transfers, count as found: the newest. A search for one letter would find all. */
const mostFound = 20_000;
/** The search for names of files knows no shorter texts. */
const shortestName = 3;

export function searchTable(db: Database.Database): Search {
  const from = db.prepare<[string], number>('SELECT CAST(value AS INTEGER) FROM settings WHERE name = ?').pluck();
  const lowest = db
    .prepare<[number, number], number | null>('SELECT min(id) FROM (SELECT id FROM files WHERE id < ? ORDER BY id DESC LIMIT ?)')
    .pluck();
  const add = db.prepare('INSERT OR REPLACE INTO file_names (rowid, name) SELECT id, name FROM files WHERE id >= ? AND id < ?');
  const set = db.prepare('UPDATE settings SET value = ? WHERE name = ?');
  const end = db.prepare('DELETE FROM settings WHERE name = ?');
  return {
    addNames(files) {
      const before = from.get(setting);
      if (before === undefined) return false;
      const first = lowest.get(before, files) ?? null;
      if (first === null) {
        end.run(setting);
        return false;
      }
      add.run(first, before);
      set.run(String(first), setting);
      return true;
    },
  };
}

/** Ids of the transfers in which a text occurs, as a subquery with its values. `text` is in lower case and not empty. */
export function foundBy(text: string): { readonly sql: string; readonly values: readonly string[] } {
  const inTransfers = `
    SELECT id FROM (
      SELECT id FROM transfers INDEXED BY transfers_searched WHERE removed = 0 AND instr(searched, ?) > 0
      ORDER BY created_at DESC LIMIT ${mostFound})`;
  if ([...text].length < shortestName) return { sql: inTransfers, values: [text] };
  const inFiles = `
    SELECT transfer_id FROM files WHERE id IN (
      SELECT rowid FROM file_names WHERE file_names MATCH ? ORDER BY rowid DESC LIMIT ${mostFound})`;
  return { sql: `${inTransfers} UNION ${inFiles}`, values: [text, `"${text.replaceAll('"', '""')}"`] };
}
