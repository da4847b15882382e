import { type Kysely, sql } from 'kysely';

/** The mail of finalized packages: each message and its result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // busy_until: a lease. Until then an attempt is in progress and no other may begin.
  await sql`
    create table messages (
      id uuid primary key,
      package_id uuid not null references packages on delete cascade,
      kind text not null check (kind in ('link', 'receipt')),
      recipient text not null,
      link_id uuid references links on delete set null,
      state text not null default 'waiting' check (state in ('waiting', 'sent', 'refused', 'gave_up', 'withdrawn')),
      attempts integer not null default 0,
      busy_until timestamptz(3),
      last_error text not null default '',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      unique (package_id, kind, recipient)
    )`.execute(db);
  await sql`create index messages_link on messages (link_id)`.execute(db);
}
