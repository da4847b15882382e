import { type Kysely, sql } from 'kysely';

/** What transfers bring into packages: what was asked for, what that is, and which chunks of it are stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // known: all of it is in cloud_import_files; before that cursor asks for the next page of a folder.
  await sql`
    create table cloud_import_items (
      transfer_id uuid not null references cloud_transfers on delete cascade,
      position integer not null,
      source text not null,
      name text not null,
      kind text not null check (kind in ('file', 'directory')),
      cursor text,
      known boolean not null default false,
      primary key (transfer_id, position)
    )`.execute(db);
  // path_hash: as files have it, so that no two get one path. file_id: a row in files that there is, or was to be made.
  await sql`
    create table cloud_import_files (
      transfer_id uuid not null references cloud_transfers on delete cascade,
      position integer not null,
      path_hash bytea not null,
      kind text not null check (kind in ('file', 'directory')),
      source text not null,
      path text not null,
      name text not null,
      size bigint not null,
      etag text not null,
      modified timestamptz(3),
      file_id uuid,
      chunk_size bigint not null default 0,
      upload_id text,
      stored bigint not null default 0,
      restarts integer not null default 0,
      complete boolean not null default false,
      message text not null default '',
      primary key (transfer_id, position),
      unique (transfer_id, path_hash)
    ) with (fillfactor = 80)`.execute(db);
  await sql`
    create table cloud_import_chunks (
      transfer_id uuid not null references cloud_transfers on delete cascade,
      position integer not null,
      number integer not null,
      etag text not null,
      digest bytea not null,
      size bigint not null,
      primary key (transfer_id, position, number)
    )`.execute(db);
}
