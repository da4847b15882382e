import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { compileFilter } from '../filters/match.ts';
import { type Lease, lockLeased } from './lease.ts';
import type { TransferRow } from './record.ts';
import type { Settling } from './settle.ts';

/** Files read at once where a filter chooses. */
const filesPerPage = 5_000;

/**
 * Writes down which files a transfer delivers, folder by folder, before its first attempt: all of the package, or those whose
 * name its filter lets through, and then no folders for themselves. So every process goes through the same list. Returns the
 * row with its totals; the event that it has begun happens with it, once. Errors: `LeaseLostError`.
 */
export async function planTransfer({ db, record }: Pick<Settling, 'db' | 'record'>, lease: Lease): Promise<TransferRow> {
  return await inTransaction(db, async (trx) => {
    const row = await lockLeased(trx, lease);
    if (row.planned) return row;
    await trx.insertInto('cloud_transfer_files').values({ transfer_id: row.id, position: 0, file_id: row.id, size: 0 }).execute();
    if (row.filter_rules === null) await addAll(trx, row);
    else await addMatching(trx, row, compileFilter(row.filter_rules));
    const total = await trx
      .selectFrom('cloud_transfer_files')
      .select([sql<string>`count(*)`.as('files'), sql<string>`coalesce(sum(size), 0)`.as('bytes')])
      .where('transfer_id', '=', row.id)
      .where('position', '>', 0)
      .executeTakeFirstOrThrow();
    const planned = await trx
      .updateTable('cloud_transfers')
      .set({ planned: true, total_files: Number(total.files), total_bytes: Number(total.bytes) })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await record(trx, 'started', planned);
    return planned;
  });
}

async function addAll(trx: Kysely<Database>, { id, package_id: packageId }: TransferRow): Promise<void> {
  await sql`
    insert into cloud_transfer_files (transfer_id, position, file_id, size)
    select ${id}::uuid, row_number() over (order by path collate "C", name collate "C"), files.id, coalesce(size, 0)
    from files where package_id = ${packageId} and state = 'finalized'`.execute(trx);
}

/** A cursor keeps a large package out of memory: it lives as long as the transaction. */
async function addMatching(trx: Kysely<Database>, { id, package_id: packageId }: TransferRow, keeps: (name: string) => boolean) {
  await sql`
    declare transfer_plan no scroll cursor for
    select id, name, coalesce(size, 0) as size from files
    where package_id = ${sql.lit(packageId)} and state = 'finalized' and kind = 'file'
    order by path collate "C", name collate "C"`.execute(trx);
  let position = 0;
  for (;;) {
    const { rows } = await sql<{ id: string; name: string; size: string | number }>`
      fetch forward ${sql.lit(filesPerPage)} from transfer_plan`.execute(trx);
    if (rows.length === 0) break;
    const kept = rows.filter(({ name }) => keeps(name));
    await sql`
      insert into cloud_transfer_files (transfer_id, position, file_id, size)
      select ${id}::uuid, ${position}::integer + kept.number, kept.id, kept.size
      from unnest(${kept.map((file) => file.id)}::uuid[], ${kept.map(({ size }) => String(size))}::bigint[])
        with ordinality as kept (id, size, number)`.execute(trx);
    position += kept.length;
  }
  await sql`close transfer_plan`.execute(trx);
}
