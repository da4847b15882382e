import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/**
 * Transactions that have written into a table of which watchers are told (migration 0081), and have not ended. By their locks, and
 * not by `pg_snapshot_xmin`: that one waits for every program that holds a transaction open, in other databases too.
 */
export async function writersUnderWay(db: Kysely<Database>): Promise<Set<string>> {
  const { rows } = await sql<{ writer: string }>`
    select distinct concat(pid, ' ', virtualtransaction) as writer from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())
      and relation in (select tgrelid from pg_trigger where tgfoid in ('tell_watchers'::regproc, 'tell_teamspace_members'::regproc))`.execute(
    db,
  );
  return new Set(rows.map(({ writer }) => writer));
}
