import { type Kysely, sql } from 'kysely';

/** The language of mail: a user's, and a Team's. Empty: not chosen. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column language text not null default '' check (language in ('', 'en', 'de'))`.execute(db);
  await sql`alter table teams add column mail_language text not null default '' check (mail_language in ('', 'en', 'de'))`.execute(db);
}
