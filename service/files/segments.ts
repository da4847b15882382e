import { type RawBuilder, sql } from 'kysely';

/**
 * How much of each segment, an object that holds the bytes of many files, is in use. The numbers change in the same
 * statement as the rows of files that name it (`files.object_key`), so no crash can part them. Segments are locked in
 * the order of their ids, so that concurrent statements cannot deadlock.
 */

/** The CTE whose rows have `object_key`; where they are recorded, `package_id` too. */
type Rows = 'done' | 'made' | 'gone' | 'moved';

const segmentOf = (key: string): RawBuilder<string> => sql`split_part(${sql.ref(key)}, '.', 1) collate "C"`;
const bytesOf = (key: string): RawBuilder<number> => sql`split_part(${sql.ref(key)}, '.', 3)::bigint`;

/**
 * A CTE body that counts recorded files into their segments. The statement fails by the constraint
 * `segments_freed_unused` if one of these is freed.
 */
export const countRecorded = (rows: Rows, at: Date): RawBuilder<unknown> => sql`
  insert into segments as s (id, bytes, live_bytes, live_files, package_ids, created_at)
  select id, bytes, bytes, files, package_ids, ${at}::timestamptz
  from (
    select ${segmentOf('object_key')} as id, sum(${bytesOf('object_key')}) as bytes, count(*) as files, array_agg(distinct package_id) as package_ids
    from ${sql.table(rows)} where object_key is not null group by 1
  ) as recorded
  order by id
  on conflict (id) do update
  set bytes = s.bytes + excluded.bytes, live_bytes = s.live_bytes + excluded.live_bytes, live_files = s.live_files + excluded.live_files,
      package_ids = case
        when s.package_ids @> excluded.package_ids then s.package_ids
        else array(select distinct unnest(s.package_ids || excluded.package_ids))
      end`;

/**
 * CTEs `unused` and `counted_out` that count files out of their segments, after the CTE `rows` has deleted or moved them.
 *
 * @param key the column of `rows` that names the segment
 * @param freed what `freed_at` becomes where nothing in it is used any more; by default it stays
 */
export const countRemoved = (
  rows: Rows,
  key: 'object_key' | 'old_key',
  { freed, kept }: { freed?: Date; kept?: Date } = {},
): RawBuilder<unknown> => sql`
  unused as (
    select segments.id, removed.files, removed.bytes
    from segments join (
      select ${segmentOf(key)} as id, count(*) as files, sum(${bytesOf(key)}) as bytes
      from ${sql.table(rows)} where ${sql.ref(key)} is not null group by 1
    ) as removed on removed.id = segments.id
    order by segments.id for update of segments
  ), counted_out as (
    update segments
    set live_files = segments.live_files - unused.files, live_bytes = segments.live_bytes - unused.bytes,
        kept_until = coalesce(${kept ?? null}::timestamptz, segments.kept_until),
        freed_at = case
          when segments.live_files = unused.files and (segments.kept_until is null or segments.kept_until <= ${freed ?? null}::timestamptz)
          then ${freed ?? null}::timestamptz
        end
    from unused where segments.id = unused.id
    returning segments.id, segments.freed_at
  )`;
