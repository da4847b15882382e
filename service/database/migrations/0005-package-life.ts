import { type Kysely, sql } from 'kysely';

/** What the ending of packages, and their lists, need. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // free_asked_at: since when a package that has ended waits for its bytes to be freed; null once they are.
  await sql`alter table packages add column free_asked_at timestamptz(3)`.execute(db);
  await sql`create index packages_to_free on packages (free_asked_at) where free_asked_at is not null`.execute(db);
  await sql`create index packages_due on packages (expiry) where state = 'finalized' and expiry is not null`.execute(db);
  await sql`create index packages_unfinished on packages (created_at, id) where state = 'new'`.execute(db);
  // freed_at: when the storage first let go of it. The note stays until nothing can appear there any more.
  await sql`alter table freed_objects add column freed_at timestamptz(3)`.execute(db);
  await sql`create unique index tags_name on tags (team_id, lower(name))`.execute(db);
  await sql`create index packages_tag on packages (tag_id) where tag_id is not null`.execute(db);
}
