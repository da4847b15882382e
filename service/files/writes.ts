import { type Kysely, sql } from 'kysely';
import { createBatches } from '../database/batches.ts';
import type { Database } from '../database/schema/database.ts';

/** A file's row at its creation. */
export interface NewFile {
  readonly id: string;
  readonly package_id: string;
  /** SHA-256 of path and name. */
  readonly place: Buffer;
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
}

/** What a creation came to; null: the package takes no files, or a finalized file has the place. */
export type Insertion = { readonly id: string; readonly replacedId: string | null } | null;

/** What a file's row learns when it is finalized. */
export interface Finalization {
  readonly id: string;
  readonly package_id: string;
  /** Bytes. */
  readonly size: number;
  readonly chunk_size: number;
  readonly etag: string;
  readonly digest: string | null;
  readonly fingerprint: Buffer;
}

/**
 * The two writes that every file costs. Those of many files at once share a statement and a commit: small files
 * are bound by these.
 */
export interface FileWrites {
  insert(file: NewFile): Promise<Insertion>;
  /** Whether the file was there and not finalized. */
  finalize(file: Finalization): Promise<boolean>;
}

const batchSize = 64;

const hex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

/**
 * One statement does all of it, or nothing: the share lock keeps a package from being finalized in between, an
 * unfinalized file of the same place is taken over, and its upload is noted to be freed. A folder that is there
 * already stays the one it was, so that asking again is harmless. No two files may have the same place.
 */
export async function insertFiles(db: Kysely<Database>, files: readonly NewFile[]): Promise<Insertion[]> {
  const asked = files.map((file, n) => ({ n, ...file, place: hex(file.place) }));
  const packageIds = [...new Set(files.map((file) => file.package_id))];
  const { rows } = await sql<{ n: number; id: string; replaced_id: string | null }>`
    with asked as (
      select * from json_to_recordset(${JSON.stringify(asked)}::json) as asked (
        n integer, id uuid, package_id uuid, place bytea, kind text, path text, name text, last_modified timestamptz,
        state text, size bigint, chunk_size bigint, created_at timestamptz)
    ), package as (
      select id from packages where id = any(${packageIds}::uuid[]) and state = 'new' order by id for share
    ), made as (
      insert into files as f (id, package_id, place, kind, path, name, last_modified, state, size, chunk_size, created_at)
      select asked.id, package_id, place, kind, path, name, last_modified, state, size, chunk_size, created_at
      from asked join package on package.id = package_id
      order by package_id, place
      on conflict (package_id, place) do update
      set id = case when f.kind = 'directory' then f.id else excluded.id end,
          kind = excluded.kind, last_modified = excluded.last_modified, state = excluded.state, size = excluded.size,
          chunk_size = excluded.chunk_size, created_at = excluded.created_at,
          replaced_id = case when f.kind = 'directory' then null else f.id end
      where f.state = 'new' or (f.kind = 'directory' and excluded.kind = 'directory')
      returning id, package_id, place, replaced_id, created_at
    ), freed as (
      insert into freed_objects (key, noted_at) select replaced_id::text, created_at from made where replaced_id is not null
    )
    select n, made.id, replaced_id from made join asked using (package_id, place)`.execute(db);
  const result: Insertion[] = files.map(() => null);
  for (const { n, id, replaced_id } of rows) result[n] = { id, replacedId: replaced_id };
  return result;
}

/** Notes files as finalized, in one statement. Each result: whether it was there and not finalized. */
export async function finalizeFiles(db: Kysely<Database>, files: readonly Finalization[]): Promise<boolean[]> {
  const asked = files.map((file) => ({ ...file, fingerprint: hex(file.fingerprint) }));
  const { rows } = await sql<{ id: string }>`
    update files
    set state = 'finalized', size = asked.size, chunk_size = asked.chunk_size, etag = asked.etag, digest = asked.digest,
        fingerprint = asked.fingerprint
    from json_to_recordset(${JSON.stringify(asked)}::json) as asked (
      id uuid, package_id uuid, size bigint, chunk_size bigint, etag text, digest text, fingerprint bytea)
    where files.id = asked.id and files.package_id = asked.package_id and files.state = 'new'
    returning files.id`.execute(db);
  const done = new Set(rows.map((row) => row.id));
  return files.map((file) => done.has(file.id));
}

export function createFileWrites(db: Kysely<Database>): FileWrites {
  return {
    insert: createBatches({
      run: (files) => insertFiles(db, files),
      keyOf: (file) => `${file.package_id} ${file.place.toString('latin1')}`,
      max: batchSize,
    }),
    finalize: createBatches({ run: (files) => finalizeFiles(db, files), keyOf: (file) => file.id, max: batchSize }),
  };
}
