import { type Kysely, sql } from 'kysely';
import { KeyedLock } from '#net/keyed-lock.ts';
import { plainArray, textArray } from '../database/arrays.ts';
import { createBatcher } from '../database/batcher.ts';
import { plannedEachTime } from '../database/prepared.ts';
import type { Database } from '../database/schema/database.ts';
import { countRecorded } from './segments.ts';

/** A file's row at its creation. */
export interface NewFile {
  readonly id: string;
  readonly package_id: string;
  /** SHA-256 of path and name, in hex. */
  readonly place: string;
  readonly kind: 'file' | 'directory';
  readonly path: string;
  readonly name: string;
  readonly last_modified: Date | null;
  readonly state: 'new' | 'finalized';
  /** Bytes; null while unknown. */
  readonly size: number | null;
  /** Bytes. */
  readonly chunk_size: number;
  readonly created_at: Date;
  /** Of a file whose bytes are at the storage already: its row is final from the beginning. */
  readonly end?: Pick<Finalization, 'etag' | 'digest' | 'fingerprint' | 'object_key'>;
}

/** The result of a creation; null: the package accepts no files, or a finalized file has the same path and name. */
export type Insertion = { readonly id: string; readonly replacedId: string | null } | null;

/** The columns that are set when a file is finalized. */
export interface Finalization {
  readonly id: string;
  readonly package_id: string;
  /** Bytes. */
  readonly size: number;
  readonly chunk_size: number;
  readonly etag: string;
  readonly digest: string | null;
  /** In hex. */
  readonly fingerprint: string;
  /** The file's key at the storage; null: its id. */
  readonly object_key: string | null;
}

/**
 * The two writes that every file needs. Concurrent calls are batched into one statement and one commit, because these
 * writes limit the throughput of small files.
 */
export interface FileWrites {
  insert(file: NewFile): Promise<Insertion>;
  /** Returns whether the file existed and was not finalized. */
  finalize(file: Finalization): Promise<boolean>;
  /** Serialises this process's work on one package: otherwise each call that waits for the row lock would hold a connection. */
  withPackageLock<T>(packageId: string, work: () => Promise<T>): Promise<T>;
}

const batchSize = 64;

/** From this batch size on, a fresh query plan is worth its cost. */
const plannedFrom = 16;

/** A row that needs more than an insert: a folder that may already exist, or a file that replaced an unfinished one. */
export interface SpecialRow {
  readonly id: string;
  readonly kind: 'file' | 'directory';
  readonly package_id: string;
  /** In hex. */
  readonly place: string;
  readonly replaced_id: string | null;
}

/**
 * The columns of a row `f` that meets a new one with its path and name: an unfinished file is replaced, a folder stays. One with the
 * new one's own id is that file: it was committed before, and the answer was lost. It replaces nothing, or its own bytes would be freed.
 */
export const columnsOfMet = sql`id = case when f.kind = 'directory' then f.id else excluded.id end,
  kind = excluded.kind, last_modified = excluded.last_modified, state = excluded.state, size = excluded.size,
  chunk_size = excluded.chunk_size, created_at = excluded.created_at,
  replaced_id = case when f.kind = 'directory' or f.id = excluded.id then null else f.id end`;
export const mayBeReplaced = sql`f.state = 'new' or (f.kind = 'directory' and excluded.kind = 'directory')`;
/** Of the rows `made`, in as few bytes as it goes: most are inserted, and their ids were given. */
export const whatWasMade = sql`select
  array(select id::text from made where kind = 'file' and replaced_id is null) as inserted,
  (
    select json_agg(json_build_object(
      'id', id, 'kind', kind, 'package_id', package_id, 'place', encode(place, 'hex'), 'replaced_id', replaced_id))
    from made where kind <> 'file' or replaced_id is not null
  ) as special`;

/**
 * One statement does everything or nothing. The share lock prevents the package from being finalized in between, an
 * unfinalized file of the same path and name is replaced, and its upload is recorded for deletion. A folder that
 * already exists stays as it is, so that creation is idempotent. No two files may have the same path and name.
 */
export async function insertFiles(db: Kysely<Database>, files: readonly NewFile[]): Promise<Insertion[]> {
  const packageIds = files.map((file) => file.package_id);
  const { rows } = await sql<{ inserted: string[]; special: SpecialRow[] | null }>`
    with package as (
      select id from packages where id = any(${plainArray([...new Set(packageIds)])}::uuid[]) and state = 'new' order by id for share
    ), made as (
      insert into files as f (id, package_id, place, kind, path, name, last_modified, state, size, chunk_size, created_at)
      select asked.id, package_id, decode(place, 'hex'), kind, path, name, last_modified, state, size, chunk_size, created_at
      from unnest(
        ${plainArray(files.map(({ id }) => id))}::uuid[], ${plainArray(packageIds)}::uuid[], ${plainArray(files.map(({ place }) => place))}::text[],
        ${plainArray(files.map(({ kind }) => kind))}::text[], ${textArray(files.map(({ path }) => path))}::text[],
        ${textArray(files.map(({ name }) => name))}::text[],
        ${plainArray(files.map((file) => file.last_modified?.toISOString() ?? null))}::timestamptz[],
        ${plainArray(files.map(({ state }) => state))}::text[], ${plainArray(files.map(({ size }) => size))}::bigint[],
        ${plainArray(files.map((file) => file.chunk_size))}::bigint[],
        ${plainArray(files.map((file) => file.created_at.toISOString()))}::timestamptz[]
      ) as asked (id, package_id, place, kind, path, name, last_modified, state, size, chunk_size, created_at)
      join package on package.id = package_id
      order by package_id, place
      on conflict (package_id, place) do update
      set ${columnsOfMet}
      where ${mayBeReplaced}
      returning id, kind, package_id, place, replaced_id, created_at
    ), freed as (
      insert into freed_objects (key, noted_at) select replaced_id::text, created_at from made where replaced_id is not null
    )
    ${whatWasMade}`.execute(db);
  return insertionsOf(files, rows[0]!);
}

/** What became of each file, in the order of `files`. */
export function insertionsOf(
  files: readonly NewFile[],
  { inserted, special }: { readonly inserted: readonly string[]; readonly special: readonly SpecialRow[] | null },
): Insertion[] {
  const made = new Set(inserted);
  const others = new Map((special ?? []).map((row) => [`${row.package_id} ${row.place}`, row]));
  return files.map(({ id, package_id, place }) => {
    if (made.has(id)) return { id, replacedId: null };
    const other = others.get(`${package_id} ${place}`);
    return other ? { id: other.id, replacedId: other.replaced_id } : null;
  });
}

/**
 * Records files as finalized, in one statement. Each result: whether the file existed and was not finalized. Fails by
 * `segments_freed_unused` if one of them lies in a segment that is freed (segments.ts).
 */
export async function finalizeFiles(db: Kysely<Database>, files: readonly Finalization[], at: Date): Promise<boolean[]> {
  // A plan cached when the table was small does a full scan, also after the table has grown.
  const planned = files.length < plannedFrom ? sql`` : plannedEachTime;
  const isPacked = files.some((file) => file.object_key !== null);
  const { rows } = await sql<{ done: string[] }>`${planned}
    with done as (
      update files
      set state = 'finalized', size = asked.size, chunk_size = asked.chunk_size, etag = asked.etag, digest = asked.digest,
          fingerprint = decode(asked.fingerprint, 'hex'), object_key = asked.object_key
      from unnest(
        ${plainArray(files.map(({ id }) => id))}::uuid[], ${plainArray(files.map((file) => file.package_id))}::uuid[],
        ${plainArray(files.map(({ size }) => size))}::bigint[], ${plainArray(files.map((file) => file.chunk_size))}::bigint[],
        ${textArray(files.map(({ etag }) => etag))}::text[], ${textArray(files.map(({ digest }) => digest))}::text[],
        ${plainArray(files.map(({ fingerprint }) => fingerprint))}::text[],
        ${plainArray(files.map((file) => file.object_key))}::text[]
      ) as asked (id, package_id, size, chunk_size, etag, digest, fingerprint, object_key)
      where files.id = asked.id and files.package_id = asked.package_id and files.state = 'new'
      returning files.id, files.package_id, files.object_key
    )${isPacked ? sql`, counted as (${countRecorded('done', at)})` : sql``}
    select array(select id::text from done) as done`.execute(db);
  const done = new Set(rows[0]!.done);
  return files.map((file) => done.has(file.id));
}

export function createFileWrites(db: Kysely<Database>, now: () => Date): FileWrites {
  const packageLocks = new KeyedLock();
  return {
    withPackageLock: (packageId, work) => packageLocks.run(packageId, work),
    insert: createBatcher({
      run: (files) => insertFiles(db, files),
      keyOf: (file) => `${file.package_id} ${file.place}`,
      max: batchSize,
    }),
    finalize: createBatcher({ run: (files) => finalizeFiles(db, files, now()), keyOf: (file) => file.id, max: batchSize }),
  };
}
