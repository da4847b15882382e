import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/**
 * Bytes of all files of a Team or a Portal, and of those that are not finalized. Where a package has its files for
 * good its own sum is theirs, which an index holds; other packages are few, and their files are summed.
 */
const counted = sql<{ used: number; open: number }>`
  select coalesce(sum(stored.used), 0)::bigint as used, coalesce(sum(stored.open), 0)::bigint as open
  from quotas
  join packages on packages.team_id = quotas.team_id and (quotas.portal_id is null or packages.portal_id = quotas.portal_id)
  cross join lateral (
    select packages.usage_total_bytes as used, 0 as open where packages.usage_total_bytes > 0
    union all
    select coalesce(sum(size), 0), coalesce(sum(size) filter (where state = 'new'), 0) from files
    where packages.usage_total_bytes = 0 and (packages.state = 'new' or packages.free_asked_at is not null)
      and files.package_id = packages.id and kind = 'file'
  ) as stored`;

/** What a counter was, and what it is. */
export interface Recount {
  readonly holderId: string;
  readonly before: number;
  readonly used: number;
}

/**
 * Counts what a Team or a Portal stores, and puts it into its counters. Exact while files come and go: each statement
 * that changes files waits for the row that is locked here, and adds to it afterwards. Null: it has no limit (any more).
 */
export async function recount(db: Kysely<Database>, holderId: string): Promise<Recount | null> {
  return await db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('quotas')
      .select(['storage_used', 'open_bytes', 'counted'])
      .where('holder_id', '=', holderId)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return null;
    // A statement of its own: it sees what was committed before the lock was had.
    const { rows } = await sql<{ used: number; open: number }>`${counted} where quotas.holder_id = ${holderId}`.execute(trx);
    const { used, open } = rows[0]!;
    const before = Number(row.storage_used);
    if (!row.counted || used !== before || open !== Number(row.open_bytes)) {
      await trx
        .updateTable('quotas')
        .set({ storage_used: used, open_bytes: open, counted: true })
        .where('holder_id', '=', holderId)
        .execute();
    }
    return { holderId, before, used };
  });
}

/**
 * The first count, once the row is committed. What changed files before that did not add to it: so it waits until
 * those transactions have ended, and holds up nobody.
 */
export async function countFirst(db: Kysely<Database>, holderId: string): Promise<void> {
  let waiting = await writersOfFiles(db);
  for (let pause = 2; waiting.size > 0; pause = Math.min(pause * 2, 250)) {
    await sleep(pause);
    waiting = waiting.intersection(await writersOfFiles(db));
  }
  await recount(db, holderId);
}

/** Transactions that have changed files, and have not ended. */
async function writersOfFiles(db: Kysely<Database>): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select distinct virtualtransaction as id from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and relation = 'files'::regclass
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The first count where there was none yet. */
export async function countIfNew(db: Kysely<Database>, holderId: string): Promise<void> {
  const row = await db.selectFrom('quotas').select('counted').where('holder_id', '=', holderId).executeTakeFirst();
  if (row && !row.counted) await countFirst(db, holderId);
}

/** Counts anew wherever there is a limit. What was wrong is mended and passed to `differs`. */
export async function checkQuotas(db: Kysely<Database>, differs: (found: Recount) => void): Promise<number> {
  const rows = await db.selectFrom('quotas').select(['holder_id', 'counted']).orderBy('holder_id').execute();
  for (const { holder_id: id, counted: isCounted } of rows) {
    if (!isCounted) {
      await countFirst(db, id);
      continue;
    }
    const found = await recount(db, id);
    if (found && found.used !== found.before) differs(found);
  }
  return rows.length;
}
