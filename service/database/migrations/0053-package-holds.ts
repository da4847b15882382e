import { type Kysely, sql } from 'kysely';

/** Packages that nobody and no time may end, since when and why. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table packages
      add column held_at timestamptz(3),
      add column held_by uuid references users (id) on delete set null,
      add column hold_reason text`.execute(db);
}
