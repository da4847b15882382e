import { type Kysely, sql } from 'kysely';
import { limits } from '#protocol/limits.ts';
import { plainArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import type { JobContext } from '../jobs/context.ts';
import { countRecorded, countRemoved } from './segments.ts';

/** Segments rewritten in one run, so that a run takes no longer than the others of its kind. */
const perRun = 64;
/** Files that are rewritten, and whose rows change, at once. */
const filesAtOnce = 1_000;

/**
 * Rewrites segments more than half of which nothing uses any more, and whose other files belong to packages that stand.
 * The old ones are freed once nobody can hold an address of a file in them (`sweepSegments`). A crash in between leaves
 * new segments that no row names, which are deleted as well.
 */
export async function compactSegments({ db, storage, now, signal }: JobContext): Promise<void> {
  if (!storage.pack) return;
  const settled = new Date(now().getTime() - limits.blueprintSeconds * 1000);
  const { rows: segments } = await sql<{ id: string; package_ids: string[] }>`
    select id, package_ids from segments
    where live_files > 0 and live_bytes * 2 < bytes and created_at < ${settled}::timestamptz
    order by id limit ${perRun}`.execute(db);
  // A package's files are read once for all segments, since no index leads from a segment to its files.
  for (const packageId of new Set(segments.flatMap(({ package_ids }) => package_ids))) {
    const ids = segments.filter(({ package_ids }) => package_ids.includes(packageId)).map(({ id }) => id);
    const { rows: files } = await sql<PackedFile>`
      select files.id, object_key as key from files join packages on packages.id = files.package_id
      where files.package_id = ${packageId} and packages.state in ('new', 'finalized') and split_part(object_key, '.', 1) = any(${ids}::text[])
      order by files.path collate "C", files.name collate "C"`.execute(db);
    for (let from = 0; from < files.length; from += filesAtOnce) {
      signal.throwIfAborted();
      const some = files.slice(from, from + filesAtOnce);
      await moveFiles(db, some, await storage.pack(some.map(({ key }) => key)), now());
    }
  }
}

interface PackedFile {
  readonly id: string;
  readonly key: string;
}

/** Lets files have other keys, as far as they still have the old ones. */
async function moveFiles(db: Kysely<Database>, files: readonly PackedFile[], keys: readonly string[], at: Date): Promise<void> {
  const kept = new Date(at.getTime() + limits.downloadUrlSeconds * 1000);
  await sql`
    with moved as (
      update files set object_key = asked.new_key
      from unnest(
        ${plainArray(files.map(({ id }) => id))}::uuid[], ${plainArray(files.map(({ key }) => key))}::text[], ${plainArray(keys)}::text[]
      ) as asked (id, old_key, new_key)
      where files.id = asked.id and files.object_key = asked.old_key
      returning files.package_id, files.object_key, asked.old_key
    ), counted_in as (${countRecorded('moved', at)}
    ), ${countRemoved('moved', 'old_key', { kept })}
    select count(*) from moved`.execute(db);
}
