import { type Kysely, sql } from 'kysely';

/** What each Team has stored, by day, and what it says that this costs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table storage_days (
      team_id uuid not null references teams on delete cascade,
      day date not null,
      bytes bigint not null,
      packages integer not null,
      primary key (team_id, day)
    )`.execute(db);
  await sql`create index storage_days_day on storage_days (day)`.execute(db);
  await sql`
    alter table teams
      add column storage_price double precision not null default 0 check (storage_price >= 0),
      add column storage_currency text not null default ''`.execute(db);
}
