import { type Kysely, sql } from 'kysely';
import { migrations } from './migrations/index.ts';
import type { Database } from './schema/database.ts';

/**
 * Versions whose newest migration is this one, or a later one, go on working with the tables of this version: a node that is not
 * upgraded yet stays ready, and may be started again. Where a migration takes away or changes what earlier versions use, this
 * becomes the migration's own name (docs/decisions/0092; test/unit/service/database/versions.test.ts).
 */
export const worksSince: keyof typeof migrations = '0070-infected-files';
const fact = 'works_since';

/**
 * How a database's version relates to this version of Longshore: `empty` if no service has created its tables,
 * `older` if a start would migrate it, `newer` if a later version has migrated it, `ahead` if so and this one works with it.
 */
export type VersionRelation = 'same' | 'empty' | 'older' | 'newer' | 'ahead';

export async function versionOf(db: Kysely<Database>): Promise<VersionRelation> {
  const { rows: tables } = await sql<{ known: boolean }>`select to_regclass('kysely_migration') is not null as known`.execute(db);
  if (!tables[0]?.known) return 'empty';
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const done = rows.map(({ name }) => name);
  if (!done.some(isUnknown)) return compareMigrations(done, null);
  const since = await sql<{ value: string }>`${sql.raw(worksSinceOfNewest)}`.execute(db);
  return compareMigrations(done, since.rows[0]?.value ?? null);
}

export const isUnknown = (name: string): boolean => !(name in migrations);

/** What the newest version of a database says. Ask where it has an unknown migration only: before that there may be no such table. */
export const worksSinceOfNewest = `select value from service_facts where name = '${fact}'`;

/** `done`: the names of the migrations that a database has had; null without their table. `since`: `worksSinceOfNewest`, null if nothing. */
export function compareMigrations(done: readonly string[] | null, since: string | null): VersionRelation {
  if (done === null) return 'empty';
  const had = new Set(done);
  const hasAll = Object.keys(migrations).every((name) => had.has(name));
  if (!done.some(isUnknown)) return hasAll ? 'same' : 'older';
  return hasAll && since !== null && !isUnknown(since) ? 'ahead' : 'newer';
}

/** Writes down which earlier versions work with the tables, unless a later version has changed them meanwhile. */
export async function keepWorksSince(db: Kysely<Database>): Promise<void> {
  await sql`
    insert into service_facts (name, value)
    select ${fact}, ${worksSince}
    where not exists (select from kysely_migration where name <> all (${Object.keys(migrations)}::text[]))
    on conflict (name) do update set value = excluded.value where service_facts.value <> excluded.value`.execute(db);
}
