import { type Kysely, sql } from 'kysely';
import { namedPackages, type PackageTopic, packageTopics, type TeamChange, type TeamTopic } from '#protocol/hosted/team-events.ts';
import { plainArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import { visibleTo } from '../packages/visible.ts';
import { may, type Permission } from '../permissions.ts';
import type { TeamAccess } from '../teams/access.ts';
import type { TeamChanges } from './team-hub.ts';

/** What one has to be allowed to hear of a change: the permission of the calls that read it. */
const permissionFor: Readonly<Record<TeamTopic, Permission>> = {
  packages: 'packages.read',
  links: 'packages.manage_own',
  downloads: 'packages.read',
  transfers: 'packages.read',
  portals: 'integrations.manage',
  members: 'members.read',
  teamspaces: 'teamspaces.read',
  tags: 'packages.read',
  connections: 'integrations.manage',
  gateways: 'integrations.manage',
  filters: 'integrations.manage',
  webhooks: 'integrations.manage',
  deliveries: 'integrations.manage',
  audit_log: 'audit.read',
  // Its settings are for those who manage it, but what follows from them is shown to everybody in it.
  team: 'packages.read',
  // Those that one made oneself; all of them with `api_keys.list`.
  api_keys: 'api_keys.manage_own',
};

const isOfPackages = (what: TeamTopic): what is PackageTopic => (packageTopics as readonly string[]).includes(what);

/** What of a Team's changes somebody hears: that of packages which they see now, and of their Teamspaces. */
export async function changesFor(
  db: Kysely<Database>,
  viewer: TeamAccess,
  changes: Exclude<TeamChanges, null>,
): Promise<readonly TeamChange[]> {
  const allowed = [...changes].filter(([what]) => may(viewer.role, permissionFor[what]));
  const packages = allowed.flatMap(([what, ids]) => (isOfPackages(what) ? [...ids] : []));
  const visible = await visiblePackages(db, viewer, [...new Set(packages)]);
  const heard: TeamChange[] = [];
  for (const [what, ids] of allowed) {
    if (isOfPackages(what)) {
      const seen = [...ids].filter((id) => visible.has(id));
      if (seen.length > namedPackages) heard.push({ what });
      else heard.push(...seen.map((package_id) => ({ what, package_id })));
    } else if (await hearsBesidePackages(db, viewer, what, ids)) heard.push({ what });
  }
  return heard;
}

/** `ids` are those of the people or Teamspaces by which it is decided. */
async function hearsBesidePackages(
  db: Kysely<Database>,
  viewer: TeamAccess,
  what: Exclude<TeamTopic, PackageTopic>,
  ids: ReadonlySet<string>,
): Promise<boolean> {
  if (what === 'teamspaces') return await hearsTeamspaces(db, viewer, ids);
  if (what === 'api_keys') return may(viewer.role, 'api_keys.list') || ids.has(viewer.userId);
  return true;
}

async function visiblePackages(db: Kysely<Database>, { teamId, userId, role }: TeamAccess, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('packages')
    .select('id')
    .where('team_id', '=', teamId)
    .where(sql<boolean>`packages.id = any(${plainArray(ids)}::uuid[])`)
    .where(visibleTo(userId, may(role, 'packages.see_all')))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** `ids` are those of Teamspaces, and of people who came or went. */
async function hearsTeamspaces(db: Kysely<Database>, { userId, role }: TeamAccess, ids: ReadonlySet<string>): Promise<boolean> {
  if (may(role, 'teamspaces.see_all') || ids.has(userId)) return true;
  const row = await db
    .selectFrom('teamspace_members')
    .select('id')
    .where('user_id', '=', userId)
    .where(sql<boolean>`teamspace_id = any(${plainArray([...ids])}::uuid[])`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
