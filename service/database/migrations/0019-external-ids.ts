import { type Kysely, sql } from 'kysely';

/** External ids of roles, each of one Team for good. They are no secrets: role owners write them into their policies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table external_ids (
      external_id text primary key,
      team_id uuid not null references teams on delete cascade,
      made boolean not null,
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index external_ids_team on external_ids (team_id)`.execute(db);
}
