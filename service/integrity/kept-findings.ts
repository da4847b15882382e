import type pg from 'pg';
import type { Finding, FindingKind } from './finding.ts';

/** What checks have found, in the database: there lists, zips and operators see it (contract/operator.md §6). */

/** A look without reading bytes says nothing of them, nor of what rows say beside. */
const kindsOf = (deep: boolean): readonly FindingKind[] =>
  deep ? ['missing', 'damaged', 'altered', 'orphan', 'foreign', 'miscounted'] : ['missing', 'orphan', 'foreign', 'miscounted'];

export async function keepFindings(client: pg.Client, findings: readonly Finding[], at: Date): Promise<void> {
  const open = findings.filter(({ repaired }) => !repaired);
  if (open.length === 0) return;
  await client.query(
    `insert into integrity_findings (kind, key, path, size, team_id, package_id, package_name, file_id, file_name, detail, found_at)
     select kind, key, path, size, team_id, package_id, package_name, file_id, file_name, coalesce(detail, ''), $2
     from jsonb_to_recordset($1) as found (kind text, key text, path text, size bigint, team_id uuid, package_id uuid, package_name text,
       file_id uuid, file_name text, detail text)
     on conflict (kind, key) do update set path = excluded.path, size = excluded.size, team_id = excluded.team_id,
       package_id = excluded.package_id, package_name = excluded.package_name, file_id = excluded.file_id,
       file_name = excluded.file_name, detail = excluded.detail`,
    [JSON.stringify(open), at],
  );
}

/** An object that was found whole again. */
export async function forgetFinding(client: pg.Client, key: string): Promise<void> {
  await client.query(`delete from integrity_findings where kind = 'damaged' and key = $1`, [key]);
}

/** A check has come to its end: what it has not found any more is mended, or gone. */
export async function forgetOthers(client: pg.Client, findings: readonly Finding[], deep: boolean): Promise<void> {
  const open = findings.filter(({ repaired }) => !repaired);
  await client.query(
    `delete from integrity_findings where kind = any($1::text[])
       and not exists (select from unnest($2::text[], $3::text[]) as found (kind, key)
         where found.kind = integrity_findings.kind and found.key = integrity_findings.key)`,
    [kindsOf(deep), open.map(({ kind }) => kind), open.map(({ key }) => key)],
  );
}

/** Objects that a check has found damaged and none has found whole since. */
export async function damagedKeys(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ key: string }>(`select key from integrity_findings where kind = 'damaged'`);
  return new Set(rows.map(({ key }) => key));
}
