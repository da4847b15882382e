import { type Kysely, sql } from 'kysely';

/** So that a link can say that its files were deleted, and not that their time was over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table packages add column deleted_at timestamptz`.execute(db);
}
