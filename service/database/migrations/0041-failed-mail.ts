import { type Kysely, sql } from 'kysely';

/** So that operators find the mails that failed among all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // It takes time in proportion to the size of the table.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql`create index messages_failed on messages (updated_at, id) where state in ('refused', 'gave_up')`.execute(db);
}
