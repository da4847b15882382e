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
  await indexLists(db);
}

const shown = 'state, private, portal_id';

/**
 * The orders of lists, and what their indexes hold besides: what decides whether a package is shown, and what an
 * expression is made of, without which PostgreSQL reads the rows as well. None is null, so that a place in an order
 * can be compared.
 */
const orders = {
  created_at: ['created_at', shown],
  name: ['lower(name) collate "C"', `${shown}, name`],
  size: ['size', shown],
  usage: ['usage_total_bytes', shown],
  expiry: ["coalesce(expiry, 'infinity'::timestamptz)", `${shown}, expiry`],
  sender: ['lower(sender) collate "C"', `${shown}, sender`],
  state: ['state collate "C"', 'private, portal_id'],
  teamspace: ["coalesce(teamspace_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)", `${shown}, teamspace_id`],
} as const;

/**
 * Lists of a million packages (decision 0011): in each order a page is found without reading the packages before it,
 * and each filter has an index that finds few.
 */
async function indexLists(db: Kysely<unknown>): Promise<void> {
  for (const [name, [expression, included]] of Object.entries(orders)) {
    const index = sql.raw(`packages_by_${name}`);
    await sql`drop index ${index}`.execute(db);
    await sql`create index ${index} on packages (team_id, ${sql.raw(expression)}, id) include (${sql.raw(included)})`.execute(db);
  }
  await sql`create index packages_tag on packages (tag_id, created_at) where tag_id is not null`.execute(db);
  await sql`create index packages_creator on packages (created_by, team_id)`.execute(db);
  await sql`create index packages_inbox on packages (team_id, id) where through_portal and teamspace_id is null`.execute(db);
  await sql`create index packages_kept_longer on packages (team_id, id) where unlimited_storage or custom_expiry`.execute(db);
  await sql`create index packages_private on packages (team_id, portal_id) where private`.execute(db);
  // Parts of names are found by an extension that comes with PostgreSQL; where it may not be used they are found slowly.
  await sql`
    do $$
    begin
      create extension if not exists pg_trgm;
      create index packages_name_parts on packages using gin (name gin_trgm_ops);
    exception
      when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
        raise notice 'no pg_trgm: lists are searched by name without an index';
    end $$`.execute(db);
}
