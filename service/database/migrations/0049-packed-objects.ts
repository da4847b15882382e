import { type Kysely, sql } from 'kysely';

/** Files whose bytes lie in one object of the storage with those of others, and how much of each such object is in use. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table files add column object_key text`.execute(db);
  // A freed segment is named by no row: whoever would record a file in it fails, however close to the freeing.
  await sql`
    create table segments (
      id text collate "C" primary key,
      bytes bigint not null,
      live_bytes bigint not null check (live_bytes >= 0),
      live_files integer not null check (live_files >= 0),
      package_ids uuid[] not null,
      created_at timestamptz(3) not null,
      kept_until timestamptz(3),
      freed_at timestamptz(3),
      deleted_at timestamptz(3),
      constraint segments_freed_unused check (freed_at is null or live_files = 0)
    )`.execute(db);
  await sql`create index segments_unused on segments (id) where live_files = 0`.execute(db);
  await sql`create index segments_half_dead on segments (id) where live_files > 0 and live_bytes * 2 < bytes`.execute(db);
}
