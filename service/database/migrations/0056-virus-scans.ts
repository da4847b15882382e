import { type Kysely, sql } from 'kysely';

/** Files are scanned for viruses once their package is finalized, and a Team says what happens to what is found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table teams
      add column virus_policy text not null default 'block' check (virus_policy in ('warn', 'block', 'quarantine'))`.execute(db);
  await sql`
    create table package_scans (
      package_id uuid primary key references packages on delete cascade,
      state text not null default 'pending' check (state in ('pending', 'done')),
      position bytea,
      files integer not null default 0,
      infected integer not null default 0,
      unscanned integer not null default 0,
      attempts integer not null default 0,
      due_at timestamptz(3) not null,
      leased_until timestamptz(3),
      created_at timestamptz(3) not null,
      ended_at timestamptz(3)
    )`.execute(db);
  await sql`create index package_scans_due on package_scans (due_at) where state = 'pending'`.execute(db);
  await sql`
    create table scan_findings (
      file_id uuid primary key references files on delete cascade,
      package_id uuid not null,
      kind text not null check (kind in ('infected', 'unscanned')),
      detail text not null,
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index scan_findings_package on scan_findings (package_id)`.execute(db);
}
