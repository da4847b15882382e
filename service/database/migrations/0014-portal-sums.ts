import { type Kysely, sql } from 'kysely';

/**
 * The totals of each package through a Portal, counted under the package's lock, so that files created concurrently
 * cannot exceed the Portal's limits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table portal_sums (
      package_id uuid primary key references packages (id) on delete cascade,
      files bigint not null,
      bytes bigint not null
    )`.execute(db);
  await sql`create index form_deliverables_file on form_deliverables (file_id)`.execute(db);
}
