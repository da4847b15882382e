import { type Kysely, sql } from 'kysely';

/** Who downloaded what: a row for each opened link by which a download was started. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table downloads (
      token_id uuid primary key,
      link_id uuid not null references links on delete cascade,
      package_id uuid not null references packages on delete cascade,
      team_id uuid not null,
      user_agent text not null,
      address text not null,
      started_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index downloads_package on downloads (package_id, started_at, token_id)`.execute(db);
  await sql`create index downloads_team on downloads (team_id, started_at, token_id)`.execute(db);
  await sql`create index downloads_link on downloads (link_id)`.execute(db);
}
