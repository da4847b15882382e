import { type Kysely, sql } from 'kysely';

/** Codes by which an app goes on with what a page has begun. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table handovers (
      id uuid primary key,
      package_id uuid not null references packages on delete cascade,
      code_digest bytea not null unique,
      claims jsonb not null,
      token_expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      cancelled_at timestamptz(3),
      taken_at timestamptz(3),
      claim_digest bytea,
      check ((taken_at is null) = (claim_digest is null)),
      check (taken_at is null or cancelled_at is null)
    )`.execute(db);
  await sql`create index handovers_package on handovers (package_id)`.execute(db);
  await sql`create index handovers_expires on handovers (expires_at)`.execute(db);
  await sql`
    create table handover_parts (
      handover_id uuid not null references handovers on delete cascade,
      part integer not null,
      content jsonb not null,
      bytes integer not null,
      primary key (handover_id, part)
    )`.execute(db);
}
