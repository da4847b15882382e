import { type Kysely, sql } from 'kysely';

/**
 * Packages and Portals of a deleted Teamspace keep its id, so that they stay invisible to users who were not in it.
 * Without a Teamspace they would be visible to the whole Team.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['packages', 'portals']) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(`${table}_teamspace_id_fkey`)}`.execute(db);
  }
}
