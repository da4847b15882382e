import { type Kysely, sql } from 'kysely';

/**
 * A file's row grows when it is finalized. If its page has room for the new version, no index must be updated: new
 * pages are filled to a third only (docs/decisions/0034).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table files set (fillfactor = 30)`.execute(db);
}
