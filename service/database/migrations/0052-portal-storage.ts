import { type Kysely, sql } from 'kysely';

/** How much of its Team's storage a Portal may take. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table portals add column max_storage bigint not null default 0 check (max_storage >= 0)`.execute(db);
}
