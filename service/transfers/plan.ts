import { type Kysely, sql } from 'kysely';
import { plainArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { compileFilter, type FileFilter } from '../filters/match.ts';
import { matchMany } from '../filters/match-many.ts';
import { type Lease, lockLeased } from './lease.ts';
import type { TransferRow } from './record.ts';
import type { Settling } from './settle.ts';

/** Files that are read and written down at once. */
const filesPerPage = 5_000;

interface PlannedFile {
  readonly id: string;
  readonly name: string;
  readonly size: string | number;
}

/**
 * Writes down which files a transfer delivers, folder by folder, before its first attempt: all of the package, or those whose
 * name its filter lets through, and then no folders for themselves. So every process goes through the same list. Returns the
 * row with its totals; the event that it has begun happens with it, once. Rejects with the signal's reason, and `LeaseLostError`.
 */
export async function planTransfer(
  { db, record }: Pick<Settling, 'db' | 'record'>,
  lease: Lease,
  signal: AbortSignal,
): Promise<TransferRow> {
  const before = await inTransaction(db, (trx) => lockLeased(trx, lease));
  if (before.planned) return before;
  const keeps = before.filter_rules === null ? null : compileFilter(before.filter_rules);
  await db.connection().execute(async (connection) => {
    let position = 0;
    for await (const page of filesOf(connection, before)) {
      signal.throwIfAborted();
      const kept = keeps ? await keptOf(page, keeps, signal) : page;
      const after = position;
      // A transaction each: the row's lock would keep its lease from being renewed, and whoever cancels it waiting.
      await inTransaction(connection, async (trx) => {
        await lockLeased(trx, lease);
        await addFiles(trx, before.id, after, kept);
      });
      position += kept.length;
    }
  });
  return await inTransaction(db, async (trx) => {
    const { id } = await lockLeased(trx, lease);
    await trx
      .insertInto('cloud_transfer_files')
      .values({ transfer_id: id, position: 0, file_id: id, size: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const total = await trx
      .selectFrom('cloud_transfer_files')
      .select([sql<string>`count(*)`.as('files'), sql<string>`coalesce(sum(size), 0)`.as('bytes')])
      .where('transfer_id', '=', id)
      .where('position', '>', 0)
      .executeTakeFirstOrThrow();
    const planned = await trx
      .updateTable('cloud_transfers')
      .set({ planned: true, total_files: Number(total.files), total_bytes: Number(total.bytes) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await record(trx, 'started', planned);
    return planned;
  });
}

async function keptOf(page: readonly PlannedFile[], keeps: FileFilter, signal: AbortSignal): Promise<PlannedFile[]> {
  const names = page.map(({ name }) => name);
  const goes = await matchMany(keeps, names, { signal });
  return page.filter((_, index) => goes[index]);
}

/** A cursor keeps a large package out of memory. It is sorted once, and lives as long as the connection. */
async function* filesOf(connection: Kysely<Database>, { package_id: packageId, filter_rules: rules }: TransferRow) {
  await sql`
    declare transfer_plan no scroll cursor with hold for
    select id, name, coalesce(size, 0) as size from files
    where package_id = ${sql.lit(packageId)} and state = 'finalized' ${rules === null ? sql`` : sql`and kind = 'file'`}
    order by path collate "C", name collate "C"`.execute(connection);
  try {
    for (;;) {
      const { rows } = await sql<PlannedFile>`fetch forward ${sql.lit(filesPerPage)} from transfer_plan`.execute(connection);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    await sql`close transfer_plan`.execute(connection);
  }
}

/** Also what a process has written that did not come to the end: a finalized package stays as it is, so that it is the same. */
async function addFiles(trx: Kysely<Database>, transferId: string, after: number, files: readonly PlannedFile[]): Promise<void> {
  await sql`
    insert into cloud_transfer_files (transfer_id, position, file_id, size)
    select ${transferId}::uuid, ${after}::integer + file.number, file.id, file.size
    from unnest(${plainArray(files.map(({ id }) => id))}::uuid[], ${plainArray(files.map(({ size }) => size))}::bigint[])
      with ordinality as file (id, size, number)
    on conflict do nothing`.execute(trx);
}
