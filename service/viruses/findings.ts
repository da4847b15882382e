import type { Kysely } from 'kysely';
import type { File } from '#protocol/hosted/files.ts';
import type { Database } from '../database/schema/database.ts';

/** The files of a package that could not be scanned, with the reason. */
export async function unscannedFiles(
  db: Kysely<Database>,
  packageId: string,
): Promise<ReadonlyMap<string, NonNullable<File['not_scanned']>>> {
  const rows = await db
    .selectFrom('scan_findings')
    .select(['file_id', 'detail'])
    .where('package_id', '=', packageId)
    .where('kind', '=', 'unscanned')
    .execute();
  return new Map(rows.map(({ file_id, detail }) => [file_id, detail as NonNullable<File['not_scanned']>]));
}
