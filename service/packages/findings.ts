import { type Kysely, sql } from 'kysely';
import type { PackageFindings } from '#protocol/hosted/packages.ts';
import type { Database } from '../database/schema/database.ts';

/** Names of each kind. */
const maxNames = 10;

/**
 * What checks have found in a package's files (contract/packages.md §6), the worst first. `containsVirus` is the package's
 * own: without it none of its files is looked at for one.
 */
export async function packageFindings(db: Kysely<Database>, packageId: string, containsVirus: boolean): Promise<PackageFindings> {
  const { rows } = await sql<{ kind: PackageFindings[number]['kind']; files: string; name: string }>`
    with found as (
      select file_id, 'not_scanned' as kind from scan_findings where package_id = ${packageId} and kind = 'unscanned'
      union
      select file_id, 'damaged' from integrity_findings
      where package_id = ${packageId} and kind in ('missing', 'damaged') and file_id is not null
      union
      select id, 'virus' from files where package_id = ${packageId} and virus_detected and ${containsVirus}::boolean
    ), named as (
      select found.kind, case when files.path = '' then files.name else files.path || '/' || files.name end as name,
        count(*) over (partition by found.kind) as files,
        row_number() over (partition by found.kind order by files.path collate "C", files.name collate "C") as place
      from found join files on files.id = found.file_id
    )
    select kind, files, name from named where place <= ${maxNames} order by place`.execute(db);
  return (['virus', 'damaged', 'not_scanned'] as const).flatMap((kind) => {
    const [first, ...others] = rows.filter((row) => row.kind === kind);
    return first ? [{ kind, files: Number(first.files), names: [first, ...others].map(({ name }) => name) }] : [];
  });
}
