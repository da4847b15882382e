import { type Kysely, sql } from 'kysely';

/** So that usage is counted from an index alone, however wide the rows are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // It takes time in proportion to the size of the table.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql`
    create index packages_usage on packages (team_id, finalized_at)
    include (id, created_by, teamspace_id, portal_id, through_portal, size) where finalized_at is not null`.execute(db);
  await sql`create index downloads_usage on downloads (team_id, started_at) include (package_id)`.execute(db);
}
