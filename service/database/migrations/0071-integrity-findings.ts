import { type Kysely, sql } from 'kysely';

/** What checks of the storage have found stands beside the rows, so that lists and zips know of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table integrity_findings (
      kind text not null check (kind in ('missing', 'damaged', 'orphan', 'foreign', 'miscounted')),
      key text not null,
      path text not null,
      size bigint,
      team_id uuid,
      package_id uuid,
      package_name text,
      file_id uuid,
      file_name text,
      detail text not null,
      found_at timestamptz(3) not null,
      primary key (kind, key)
    )`.execute(db);
  await sql`create index integrity_findings_package on integrity_findings (package_id) where package_id is not null`.execute(db);
}
