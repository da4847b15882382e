import type Database from 'better-sqlite3';
import { transferStates } from '#protocol/agent/transfers.ts';
import type { Sealer } from '../secrets/seal.ts';
import { setAside } from './damage.ts';
import type { OpenedDatabase } from './database.ts';

/**
 * Looks whether every transfer and setting can be read: a damaged byte may spoil one and leave the file's structure
 * whole, and secrets do not open without the key that sealed them. What cannot be read is taken out, so that the
 * others go on, after the whole file was copied aside. Gives sentences that the person should know.
 */
export function salvage({ db, path }: OpenedDatabase, sealer: Sealer, now: number): readonly string[] {
  const transfers = unreadableTransfers(db, sealer);
  const settings = db
    .prepare<[], { name: string; value: string }>('SELECT name, value FROM settings')
    .all()
    .filter(({ value }) => !isJson(value));
  if (transfers.length === 0 && settings.length === 0) return [];
  db.pragma('wal_checkpoint(TRUNCATE)');
  const aside = setAside(path, now, 'copy');
  db.transaction(() => {
    for (const id of transfers) db.prepare('DELETE FROM transfers WHERE id = ?').run(id);
    for (const { name } of settings) db.prepare('DELETE FROM settings WHERE name = ?').run(name);
  })();
  const lost = [
    ...(transfers.length > 0 ? [`${transfers.length} of its transfers, which are not listed any more`] : []),
    ...(settings.length > 0 ? [`${settings.length} of its settings, which are as at the beginning`] : []),
  ];
  return [
    `The agent's state file was damaged, or its secrets are sealed with another key: it could not read ${lost.join(', and ')}. The file as it was is kept as ${aside}.`,
  ];
}

function unreadableTransfers(db: Database.Database, sealer: Sealer): string[] {
  const rows = db
    .prepare<[], { id: string; state: string; request: string; facts: string; secrets: string; error: string | null }>(
      'SELECT id, state, request, facts, secrets, error FROM transfers',
    )
    .all();
  const states: readonly string[] = transferStates;
  return rows
    .filter(({ state, request, facts, secrets, error }) => {
      if (!states.includes(state) || ![request, facts, error ?? '{}'].every(isObject)) return true;
      try {
        return !isObject(sealer.open(secrets));
      } catch {
        return true;
      }
    })
    .map(({ id }) => id);
}

function isObject(text: string): boolean {
  return isJson(text) && text.startsWith('{');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
