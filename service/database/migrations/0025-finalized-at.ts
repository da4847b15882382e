import { type Kysely, sql } from 'kysely';

/** When packages were finalized, so that one can ask for what is new. Those from before have it by their receipts, or by their last change. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // These statements take time in proportion to the size of the table.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql`alter table packages add column finalized_at timestamptz(3)`.execute(db);
  await sql`update packages set finalized_at = receipts.created_at from receipts where receipts.package_id = packages.id`.execute(db);
  await sql`update packages set finalized_at = updated_at where finalized_at is null and state = 'finalized'`.execute(db);
  await sql`create index packages_finalized on packages (team_id, finalized_at, id) where finalized_at is not null`.execute(db);
}
