import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { NewFile } from '../files/writes.ts';
import type { Totals } from './rules.ts';

/*
 * The totals of a package whose Portal limits them, counted in the database (docs/decisions/0042). The code that counts
 * locks the package's row, so that concurrent creations, also by other processes, are checked one after another. The
 * code that deletes a file, or finalizes one of unknown size, takes a share of that lock and changes the same row.
 */

/** The files that the sender sent, without the form's answer files. */
export const isFromSender = sql<boolean>`not exists (select from form_deliverables where form_deliverables.file_id = files.id)`;

/** The totals of the files that the sender has put into a package. */
export async function countTotals(db: Kysely<Database>, packageId: string): Promise<Totals> {
  const { rows } = await sql<{ files: number; bytes: string }>`
    select count(*) as files, coalesce(sum(size), 0) as bytes from files
    where package_id = ${packageId} and kind = 'file' and ${isFromSender}`.execute(db);
  return { files: Number(rows[0]!.files), bytes: Number(rows[0]!.bytes) };
}

/** What already exists at the path and name of a requested file. */
interface ExistingFile {
  readonly state: 'new' | 'finalized';
  /** Its contribution to the totals: one file, or none for a folder. */
  readonly contribution: Totals;
}

/** Locks a package that accepts files until the transaction ends; false if it accepts none. */
export async function lockPackage(trx: Transaction<Database>, packageId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('packages')
    .select('id')
    .where('id', '=', packageId)
    .where('state', '=', 'new')
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** The totals of a locked package, and what exists at the path and name of each requested file, by `place` in hex. */
export async function readTotals(
  trx: Transaction<Database>,
  packageId: string,
  asked: readonly NewFile[],
): Promise<{ readonly totals: Totals; readonly existing: ReadonlyMap<string, ExistingFile> }> {
  const places = asked.map((file) => `\\x${file.place}`);
  const { rows } = await sql<{
    totals: Totals | null;
    existing: { place: string; state: 'new' | 'finalized'; files: number; bytes: number }[];
  }>`
    select
      (select json_build_object('files', files, 'bytes', bytes) from portal_sums where package_id = ${packageId}) as totals,
      (
        select coalesce(json_agg(json_build_object(
          'place', encode(place, 'hex'), 'state', state, 'files', counts::integer, 'bytes', case when counts then coalesce(size, 0) else 0 end)), '[]')
        from (select *, kind = 'file' and ${isFromSender} as counts from files where package_id = ${packageId} and place = any(${places}::text[]::bytea[])) as there
      ) as existing`.execute(trx);
  const { totals, existing } = rows[0]!;
  return {
    totals: totals ?? (await countTotals(trx, packageId)),
    existing: new Map(existing.map(({ place, state, files, bytes }) => [place, { state, contribution: { files, bytes } }])),
  };
}

/** Stores the new totals of a locked package. */
export async function storeTotals(trx: Transaction<Database>, packageId: string, { files, bytes }: Totals): Promise<void> {
  await trx
    .insertInto('portal_sums')
    .values({ package_id: packageId, files, bytes })
    .onConflict((conflict) => conflict.column('package_id').doUpdateSet({ files, bytes }))
    .execute();
}

/** Adds the bytes of a file that was created without a size, in the transaction that records it as finalized. */
export async function addBytes(trx: Transaction<Database>, packageId: string, bytes: number): Promise<void> {
  await trx
    .updateTable('portal_sums')
    .set({ bytes: sql<number>`bytes + ${bytes}` })
    .where('package_id', '=', packageId)
    .execute();
}

/** Deletes the totals of a Portal's unfinished packages, so that they are counted again: without a limit nothing was counted. */
export async function deleteTotals(trx: Transaction<Database>, portalId: string): Promise<void> {
  await trx
    .deleteFrom('portal_sums')
    .where('package_id', 'in', (db) => db.selectFrom('packages').select('id').where('portal_id', '=', portalId))
    .execute();
}
