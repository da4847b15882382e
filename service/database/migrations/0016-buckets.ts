import { type Kysely, sql } from 'kysely';

/**
 * Rate limits for strangers use buckets that drain gradually, instead of windows. Sources of right answers are stored
 * for accounts and links too, not only for Portals.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop table guesses, portal_senders`.execute(db);
  // Unlogged: written for every password, and worthless after it has drained.
  await sql`
    create unlogged table buckets (
      subject bytea primary key,
      until timestamptz(3) not null
    )`.execute(db);
  await sql`create index buckets_until on buckets (until)`.execute(db);
  await sql`
    create table known_sources (
      subject bytea not null,
      source bytea not null,
      known_at timestamptz(3) not null,
      primary key (subject, source)
    )`.execute(db);
  await sql`create index known_sources_known on known_sources (known_at)`.execute(db);
}
