import { type Kysely, sql } from 'kysely';

/** Sign-ins of people, so that each can be listed and ended on its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sessions (
      id uuid primary key,
      user_id uuid not null references users (id) on delete cascade,
      kind text not null check (kind in ('browser', 'program')),
      secret_hash bytea check ((kind = 'browser') = (secret_hash is not null)),
      token_version integer not null,
      user_agent text not null,
      address text not null,
      created_at timestamptz(3) not null,
      last_seen_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index sessions_user on sessions (user_id, id)`.execute(db);
  await sql`create index sessions_expires on sessions (expires_at)`.execute(db);
}
