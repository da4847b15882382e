import { type Kysely, sql } from 'kysely';

/** All columns that decide whether a package is in somebody's list, except texts: each order's index contains all of them. */
const decides = [
  'state',
  'private',
  'portal_id',
  'through_portal',
  'teamspace_id',
  'tag_id',
  'created_by',
  'unlimited_storage',
  'custom_expiry',
  'created_at',
  'expiry',
] as const;

/** The orders of lists, as in migration 0005, and the columns inside expressions. */
const orders = {
  created_at: ['created_at'],
  name: ['lower(name) collate "C"', 'name'],
  size: ['size'],
  usage: ['usage_total_bytes'],
  expiry: ["coalesce(expiry, 'infinity'::timestamptz)"],
  sender: ['lower(sender) collate "C"', 'sender'],
  state: ['state collate "C"'],
  teamspace: ["coalesce(teamspace_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)"],
} as const;

/**
 * Lists of a million packages for users who see only some of them, and with filters (decision 0011): an index scan in
 * list order reads no rows, for every filter except parts of names. Counts use an index in which equal kinds of
 * packages share one entry.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // These statements take time in proportion to the size of the table.
  await sql`set local statement_timeout = 0`.execute(db);
  for (const [name, [key, ...made]] of Object.entries(orders) as [string, readonly string[]][]) {
    const index = sql.raw(`packages_by_${name}`);
    const held = [...decides.filter((column) => column !== key), ...made];
    await sql`drop index ${index}`.execute(db);
    await sql`create index ${index} on packages (team_id, ${sql.raw(key!)}, id) include (${sql.raw(held.join(', '))})`.execute(db);
  }
  // Entries are not unique, so PostgreSQL stores equal entries once: 8 MB for a million packages.
  const kinds = sql`(team_id, state, through_portal, teamspace_id, created_by, tag_id, private, portal_id, unlimited_storage, custom_expiry)`;
  await sql`create index packages_kinds on packages ${kinds}`.execute(db);
  await sql`drop index packages_kept_longer`.execute(db);
  await sql`create index packages_kept_longer on packages ${kinds} where unlimited_storage or custom_expiry`.execute(db);
  // Index-only scans read no rows if the visibility map is current. By default, vacuum updates it only after a fifth
  // of the table has changed.
  await sql`
    alter table packages set
      (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05)`.execute(
    db,
  );
  await sql`drop index packages_inbox`.execute(db);
  await sql`drop index packages_private`.execute(db);
}
