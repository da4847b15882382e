import { type Kysely, sql } from 'kysely';

/** An import may finalize its package when it is complete, as who began it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table cloud_transfers add column finalize_as uuid`.execute(db);
}
