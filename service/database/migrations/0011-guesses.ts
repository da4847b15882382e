import { type Kysely, sql } from 'kysely';

/** Counts of wrong answers, shared by all processes, and the sources that have given a Portal's right access code. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Unlogged: written for every password, and worthless after its window.
  await sql`
    create unlogged table guesses (
      subject bytea primary key,
      wrong integer not null,
      until timestamptz(3) not null
    )`.execute(db);
  await sql`create index guesses_until on guesses (until)`.execute(db);
  await sql`
    create table portal_senders (
      sender bytea primary key,
      portal_id uuid not null references portals on delete cascade,
      known_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index portal_senders_portal on portal_senders (portal_id)`.execute(db);
  await sql`create index portal_senders_known on portal_senders (known_at)`.execute(db);
}
