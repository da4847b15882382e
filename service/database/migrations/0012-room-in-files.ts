import { type Kysely, sql } from 'kysely';

/**
 * A file's row grows when it is finalized. Where its page has room for it there, no index is written again: new pages
 * are filled by a third (docs/decisions/0034).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table files set (fillfactor = 30)`.execute(db);
}
