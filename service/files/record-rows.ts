import { type Kysely, sql } from 'kysely';
import { plainArray, textArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import { countRecorded } from './segments.ts';
import { columnsOfMet, type Insertion, insertionsOf, mayBeReplaced, type NewFile, type SpecialRow, whatWasMade } from './writes.ts';

/**
 * Inserts folders, and files whose bytes are at the storage already, of one package, as `insertFiles` does (writes.ts): their
 * rows are final, and counted into their segments. Fails by `segments_freed_unused` if one of these is freed (segments.ts).
 */
export async function insertRecorded(db: Kysely<Database>, files: readonly NewFile[]): Promise<Insertion[]> {
  const { package_id: packageId, created_at: at } = files[0]!;
  // What all have in common is sent once: reading a value of an array takes as long as writing it into its row.
  const { rows } = await sql<{ inserted: string[]; special: SpecialRow[] | null }>`
    with package as (
      select id from packages where id = ${packageId}::uuid and state = 'new' for share
    ), made as (
      insert into files as f (id, package_id, place, kind, path, name, last_modified, state, size, chunk_size, created_at, etag, digest, fingerprint, object_key)
      select asked.id, package.id, decode(place, 'hex'), case when etag is null then 'directory' else 'file' end, path, name, last_modified,
        'finalized', size, chunk_size, ${at}::timestamptz, etag, digest, decode(fingerprint, 'hex'), object_key
      from package, unnest(
        ${plainArray(files.map(({ id }) => id))}::uuid[], ${plainArray(files.map(({ place }) => place))}::text[],
        ${textArray(files.map(({ path }) => path))}::text[], ${textArray(files.map(({ name }) => name))}::text[],
        ${plainArray(files.map((file) => file.last_modified?.toISOString() ?? null))}::timestamptz[],
        ${plainArray(files.map(({ size }) => size))}::bigint[], ${plainArray(files.map((file) => file.chunk_size))}::bigint[],
        ${plainArray(files.map(({ end }) => end?.etag ?? null))}::text[], ${plainArray(files.map(({ end }) => end?.digest ?? null))}::text[],
        ${plainArray(files.map(({ end }) => end?.fingerprint ?? null))}::text[],
        ${plainArray(files.map(({ end }) => end?.object_key ?? null))}::text[]
      ) as asked (id, place, path, name, last_modified, size, chunk_size, etag, digest, fingerprint, object_key)
      order by place
      on conflict (package_id, place) do update
      set ${columnsOfMet}, etag = excluded.etag, digest = excluded.digest, fingerprint = excluded.fingerprint,
        object_key = excluded.object_key
      where ${mayBeReplaced}
      returning id, kind, package_id, place, replaced_id, object_key
    ), freed as (
      insert into freed_objects (key, noted_at) select replaced_id::text, ${at}::timestamptz from made where replaced_id is not null
    ), counted as (${countRecorded('made', at)})
    ${whatWasMade}`.execute(db);
  return insertionsOf(files, rows[0]!);
}
