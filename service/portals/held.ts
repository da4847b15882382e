import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { NewFile } from '../files/writes.ts';
import type { Held } from './rules.ts';

/*
 * What a package holds whose Portal limits that, counted in the database (docs/decisions/0042). Whoever counts holds the
 * package's row, so that files created at once, through whichever process, are judged one after the other. Those who
 * delete, or finalize a file whose size was not known, share that lock and change the same row.
 */

/** Without the form's answer files, which the sender does not send. */
export const notDelivered = sql<boolean>`not exists (select from form_deliverables where form_deliverables.file_id = files.id)`;

/** The totals of the files that the sender has put into a package. */
export async function countHeld(db: Kysely<Database>, packageId: string): Promise<Held> {
  const { rows } = await sql<{ files: number; bytes: string }>`
    select count(*) as files, coalesce(sum(size), 0) as bytes from files
    where package_id = ${packageId} and kind = 'file' and ${notDelivered}`.execute(db);
  return { files: Number(rows[0]!.files), bytes: Number(rows[0]!.bytes) };
}

/** What already exists at the path and name of a requested file. */
export interface Standing {
  readonly state: 'new' | 'finalized';
  /** Its contribution to the totals: one file, or none for a folder. */
  readonly share: Held;
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
export async function readHeld(
  trx: Transaction<Database>,
  packageId: string,
  asked: readonly NewFile[],
): Promise<{ readonly held: Held; readonly standing: ReadonlyMap<string, Standing> }> {
  const places = asked.map((file) => `\\x${file.place.toString('hex')}`);
  const { rows } = await sql<{
    held: Held | null;
    standing: { place: string; state: 'new' | 'finalized'; files: number; bytes: number }[];
  }>`
    select
      (select json_build_object('files', files, 'bytes', bytes) from portal_sums where package_id = ${packageId}) as held,
      (
        select coalesce(json_agg(json_build_object(
          'place', encode(place, 'hex'), 'state', state, 'files', counts::integer, 'bytes', case when counts then coalesce(size, 0) else 0 end)), '[]')
        from (select *, kind = 'file' and ${notDelivered} as counts from files where package_id = ${packageId} and place = any(${places}::text[]::bytea[])) as there
      ) as standing`.execute(trx);
  const { held, standing } = rows[0]!;
  return {
    held: held ?? (await countHeld(trx, packageId)),
    standing: new Map(standing.map(({ place, state, files, bytes }) => [place, { state, share: { files, bytes } }])),
  };
}

/** Stores the new totals of a locked package. */
export async function noteHeld(trx: Transaction<Database>, packageId: string, { files, bytes }: Held): Promise<void> {
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
export async function forgetHeld(trx: Transaction<Database>, portalId: string): Promise<void> {
  await trx
    .deleteFrom('portal_sums')
    .where('package_id', 'in', (db) => db.selectFrom('packages').select('id').where('portal_id', '=', portalId))
    .execute();
}
