import { type Kysely, sql } from 'kysely';
import { migrations } from './migrations/index.ts';
import type { Database } from './schema/database.ts';

/**
 * How a database's version relates to this version of Longshore: `empty` if no service has created its tables,
 * `older` if a start would migrate it, `newer` if a later version has migrated it.
 */
export type VersionRelation = 'same' | 'empty' | 'older' | 'newer';

export async function versionOf(db: Kysely<Database>): Promise<VersionRelation> {
  const { rows: tables } = await sql<{ known: boolean }>`select to_regclass('kysely_migration') is not null as known`.execute(db);
  if (!tables[0]?.known) return 'empty';
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return compareMigrations(rows.map((row) => row.name));
}

/** `done`: the names of the migrations that a database has had; null without their table. */
export function compareMigrations(done: readonly string[] | null): VersionRelation {
  if (done === null) return 'empty';
  if (done.some((name) => !(name in migrations))) return 'newer';
  const had = new Set(done);
  return Object.keys(migrations).every((name) => had.has(name)) ? 'same' : 'older';
}
