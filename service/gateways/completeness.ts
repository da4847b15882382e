import { type Kysely, sql } from 'kysely';
import type { TransferReport } from '#protocol/hosted/gateways.ts';
import type { Database } from '../database/schema/database.ts';
import type { TransferRow } from '../transfers/record.ts';

/** Why a transfer cannot be complete yet, by what this side knows, as a sentence; null if it can (contract/gateways.md §5). */
export async function missingOf(db: Kysely<Database>, row: TransferRow, told: TransferReport['progress']): Promise<string | null> {
  return row.direction === 'service_to_cloud' ? await missingOfDelivery(db, row, told) : await missingOfCollection(db, row, told);
}

/** Folders are not counted: a gateway may count files alone. */
async function missingOfDelivery(db: Kysely<Database>, row: TransferRow, told: TransferReport['progress']): Promise<string | null> {
  const files = row.filter_rules === null ? await countFiles(db, row.package_id) : row.total_files;
  if (told.files >= files && told.bytes >= Number(row.total_bytes)) return null;
  return `Of ${files} files with ${row.total_bytes} bytes only ${told.files} with ${told.bytes} have arrived.`;
}

async function countFiles(db: Kysely<Database>, packageId: string): Promise<number> {
  const { count } = await db
    .selectFrom('files')
    .select((select) => select.fn.countAll<string>().as('count'))
    .where('package_id', '=', packageId)
    .where('state', '=', 'finalized')
    .where('kind', '=', 'file')
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function missingOfCollection(db: Kysely<Database>, row: TransferRow, told: TransferReport['progress']): Promise<string | null> {
  const { rows } = await sql<{ files: string; bytes: string; unfinished: string }>`
    select count(*) filter (where files.state = 'finalized') as files,
      coalesce(sum(files.size) filter (where files.state = 'finalized'), 0) as bytes,
      count(*) filter (where files.state <> 'finalized' and gateway_files.file_id is not null) as unfinished
    from files left join gateway_files on gateway_files.transfer_id = ${row.id} and gateway_files.file_id = files.id
    where files.package_id = ${row.package_id}`.execute(db);
  const { files, bytes, unfinished } = rows[0]!;
  if (Number(unfinished) > 0) return `${unfinished} files are not finalized yet.`;
  if (Number(files) >= told.files && Number(bytes) >= told.bytes) return null;
  return `The package holds ${files} finalized files with ${bytes} bytes, and ${told.files} with ${told.bytes} were told.`;
}
