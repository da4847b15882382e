import { type Kysely, sql } from 'kysely';

/** Names that a storage gateway's disk could not hold as they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table cloud_transfers add column renamed jsonb not null default '[]'`.execute(db);
}
