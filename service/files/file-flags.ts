import { type Kysely, sql } from 'kysely';
import type { File } from '#protocol/hosted/files.ts';
import type { Database } from '../database/schema/database.ts';

type Flags = Pick<File, 'not_scanned' | 'damaged'>;

/** What stands elsewhere of a package's files, and of few of them: contract/packages.md §9, contract/files-and-blueprints.md §5. */
export async function fileFlags(db: Kysely<Database>, packageId: string): Promise<ReadonlyMap<string, Flags>> {
  const { rows } = await sql<{ file_id: string; not_scanned: NonNullable<File['not_scanned']> | null }>`
    select file_id, detail as not_scanned from scan_findings where package_id = ${packageId} and kind = 'unscanned'
    union all
    select file_id, null from integrity_findings
    where package_id = ${packageId} and kind in ('missing', 'damaged') and file_id is not null`.execute(db);
  const flags = new Map<string, Flags>();
  for (const { file_id, not_scanned } of rows)
    flags.set(file_id, { ...flags.get(file_id), ...(not_scanned === null ? { damaged: true } : { not_scanned }) });
  return flags;
}
