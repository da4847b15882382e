import { type Kysely, sql } from 'kysely';

/** The signatures of finalized packages' receipts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table receipts (
      package_id uuid primary key references packages on delete cascade,
      jws text not null,
      created_at timestamptz(3) not null
    )`.execute(db);
}
