import { type Kysely, sql } from 'kysely';

/** How far the checks of a bucket are, where all workers find it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table integrity_checks (
      kind text primary key check (kind in ('quick', 'deep')),
      state jsonb,
      last jsonb
    )`.execute(db);
  await sql`
    create table integrity_check_findings (
      id bigint generated always as identity primary key,
      kind text not null check (kind in ('quick', 'deep')),
      findings jsonb not null
    )`.execute(db);
}
