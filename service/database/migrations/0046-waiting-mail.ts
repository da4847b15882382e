import { type Kysely, sql } from 'kysely';

/** So that operators see how many mails wait without all mails being read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // It takes time in proportion to the size of the table.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql`create index messages_waiting on messages (created_at) where state = 'waiting'`.execute(db);
}
