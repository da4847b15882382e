import { type Kysely, sql } from 'kysely';
import { migrations } from './migrations/index.ts';
import type { Database } from './schema/database.ts';

/**
 * How a database's version relates to this version of Longshore: `empty` if no service has created its tables,
 * `older` if a start would migrate it, `newer` if a later version has migrated it.
 */
export async function versionOf(db: Kysely<Database>): Promise<'same' | 'empty' | 'older' | 'newer'> {
  const { rows: tables } = await sql<{ known: boolean }>`select to_regclass('kysely_migration') is not null as known`.execute(db);
  if (!tables[0]?.known) return 'empty';
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const done = new Set(rows.map((row) => row.name));
  if (rows.some(({ name }) => !(name in migrations))) return 'newer';
  return Object.keys(migrations).every((name) => done.has(name)) ? 'same' : 'older';
}
