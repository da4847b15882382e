import type pg from 'pg';
import { packedKey } from '#storage/packed-key.ts';
import { pathOf } from '../backup/object-copy.ts';
import type { Finding } from './finding.ts';

interface Row {
  readonly id: string;
  readonly counted_files: number | null;
  readonly counted_bytes: string | null;
  readonly files: number;
  readonly bytes: string;
}

/** As of one moment: counts change in the same statement as the files (files/segments.ts). */
const differing = `
  with found as (
    select split_part(object_key, '.', 1) collate "C" as id, count(*)::int as files, sum(split_part(object_key, '.', 3)::bigint) as bytes
    from files where object_key is not null group by 1
  )
  select coalesce(segments.id, found.id) as id, live_files as counted_files, live_bytes as counted_bytes,
    coalesce(files, 0) as files, coalesce(found.bytes, 0) as bytes
  from segments full join found on found.id = segments.id
  where live_files is distinct from coalesce(files, 0) or live_bytes is distinct from coalesce(found.bytes, 0)
  order by 1`;

/** Segments whose rows count other files than name them: a count too low frees bytes that are needed, one too high never does. */
export async function findMiscounted(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<Row>(differing);
  return rows.map(({ id, files, bytes, counted_files, counted_bytes }) => ({
    ...{ kind: 'miscounted', key: id, path: pathOf(packedKey({ segment: id, offset: 0, length: 0 })) },
    detail: `${counted_files === null ? 'no row' : `its row says ${counted_files} files of ${counted_bytes} bytes`}, and there are ${files} of ${bytes}`,
  }));
}

/** Counts again, each behind a lock on its row, so that no file comes or goes meanwhile. A segment without a row gets one. */
export async function recountSegments(client: pg.Client, ids: readonly string[], at: Date): Promise<void> {
  for (const id of ids) {
    await client.query('begin');
    try {
      await client.query(
        `insert into segments (id, bytes, live_bytes, live_files, package_ids, created_at) values ($1, 0, 0, 0, '{}', $2)
         on conflict (id) do nothing`,
        [id, at],
      );
      await client.query('select from segments where id = $1 for update', [id]);
      await client.query(
        `update segments set live_files = found.files, live_bytes = found.bytes, bytes = greatest(segments.bytes, found.bytes),
           package_ids = found.package_ids, freed_at = case when found.files = 0 then freed_at end,
           deleted_at = case when found.files = 0 then deleted_at end
         from (
           select count(*)::int as files, coalesce(sum(split_part(object_key, '.', 3)::bigint), 0) as bytes,
             coalesce(array_agg(distinct package_id), '{}') as package_ids
           from files where object_key is not null and split_part(object_key, '.', 1) = $1
         ) as found
         where segments.id = $1`,
        [id],
      );
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }
}
