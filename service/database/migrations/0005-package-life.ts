import { type Kysely, sql } from 'kysely';

/** What the end of packages, and their lists, need. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // free_asked_at: since when a package that has ended waits for its storage to be freed; null once it is freed.
  await sql`alter table packages add column free_asked_at timestamptz(3)`.execute(db);
  await sql`create index packages_to_free on packages (free_asked_at) where free_asked_at is not null`.execute(db);
  await sql`create index packages_due on packages (expiry) where state = 'finalized' and expiry is not null`.execute(db);
  await sql`create index packages_unfinished on packages (created_at, id) where state = 'new'`.execute(db);
  // freed_at: when the storage first deleted the object. The row stays until nothing can be stored under the key any
  // more.
  await sql`alter table freed_objects add column freed_at timestamptz(3)`.execute(db);
  await sql`create unique index tags_name on tags (team_id, lower(name))`.execute(db);
  await indexLists(db);
}

const shown = 'state, private, portal_id';

/**
 * The orders of lists, and the additional columns of their indexes: the columns that decide whether a package is
 * visible, and the columns inside expressions, without which PostgreSQL reads the rows as well. No key is null, so
 * that positions in an order can be compared.
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
 * and each filter has a selective index.
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
  // Searches for parts of names use an extension that ships with PostgreSQL; where it is not permitted, they are
  // slow.
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
