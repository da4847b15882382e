import { type Kysely, sql } from 'kysely';

/** Transfers between packages and connected storage, and how far each of their files is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // due_at: when a process may take the transfer on; while one has it (lease_id), when its lease lapses; null when it is
  // over. By the database's clock. planned: its files have their rows. cleanup: something unfinished may lie at the provider.
  // folder_key, and key of names: digests, since a path can be longer than an index entry may be.
  await sql`
    create table cloud_transfers (
      id uuid primary key,
      package_id uuid not null references packages on delete cascade,
      cloud_connection_id uuid references cloud_connections on delete set null,
      direction text not null check (direction in ('service_to_cloud', 'cloud_to_service')),
      provider text not null,
      sealed_authorization bytea,
      destination bytea not null,
      target_directory_id text not null,
      filter_rules jsonb,
      folder text,
      folder_key bytea,
      state text not null default 'pending' check (state in ('pending', 'started', 'complete', 'cancelled', 'error')),
      message text not null default '',
      attempts integer not null default 0,
      failures integer not null default 0,
      planned boolean not null default false,
      cleanup boolean not null default false,
      bytes bigint not null default 0,
      total_bytes bigint not null default 0,
      files integer not null default 0,
      total_files integer not null default 0,
      notify_email text not null default '',
      notify_language text not null default 'en',
      due_at timestamptz(3),
      lease_id uuid,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    ) with (fillfactor = 80)`.execute(db);
  await sql`create index cloud_transfers_package on cloud_transfers (package_id, id)`.execute(db);
  await sql`create index cloud_transfers_connection on cloud_transfers (cloud_connection_id)`.execute(db);
  await sql`create index cloud_transfers_due on cloud_transfers (due_at) where due_at is not null`.execute(db);
  await sql`create unique index cloud_transfers_folder on cloud_transfers (destination, folder_key) where folder_key is not null`.execute(
    db,
  );
  // Position 0 is the manifest, whose file_id is the transfer's. object_id: it is complete.
  await sql`
    create table cloud_transfer_files (
      transfer_id uuid not null references cloud_transfers on delete cascade,
      position integer not null,
      file_id uuid not null,
      size bigint not null,
      target text,
      sealed_upload bytea,
      stored bigint not null default 0,
      object_id text,
      etag text not null default '',
      message text not null default '',
      primary key (transfer_id, position),
      unique (transfer_id, file_id)
    ) with (fillfactor = 80)`.execute(db);
  await sql`
    create table cloud_transfer_names (
      transfer_id uuid not null references cloud_transfers on delete cascade,
      key bytea not null,
      owner text not null,
      primary key (transfer_id, key)
    )`.execute(db);
}
