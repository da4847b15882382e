import type Database from 'better-sqlite3';

/** Small named values that are not secret. */
export interface Settings {
  get(name: string): string | null;
  set(name: string, value: string): void;
  delete(name: string): void;
}

export function settingsTable(db: Database.Database): Settings {
  const get = db.prepare<[string], { value: string }>('SELECT value FROM settings WHERE name = ?');
  const set = db.prepare('INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value');
  const remove = db.prepare('DELETE FROM settings WHERE name = ?');
  return {
    get: (name) => get.get(name)?.value ?? null,
    set: (name, value) => void set.run(name, value),
    delete: (name) => void remove.run(name),
  };
}
