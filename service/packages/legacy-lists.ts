import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type LegacyPackage, type LegacyPackageQuery, legacyListing } from '#protocol/hosted/legacy.ts';
import type { Link } from '#protocol/hosted/links.ts';
import { packageStates } from '#protocol/hosted/packages.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { linksOf } from '../links/manage.ts';
import { may } from '../permissions.ts';
import { type TeamAccess, teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { recordFor } from './list.ts';
import { type PackageRow, selectPackages } from './row.ts';
import { visibleTo } from './visible.ts';

/** Packages per query; their links are read at the same time. */
const rowsPerQuery = 100;

/**
 * The v1.0 lists: arrays without pages, so their length must be limited. They contain the newest packages, up to a
 * maximum number, and stop earlier if these packages have more links in total than that maximum. Errors: the signal's reason
 * where the caller has left, also while it has waited for its turn.
 */
async function legacyList(
  context: Context,
  viewer: TeamAccess,
  query: LegacyPackageQuery,
  left: AbortSignal,
  scope: RawBuilder<SqlBool> = sql`true`,
): Promise<LegacyPackage[]> {
  const { db, tokens, urls } = context;
  const states = packageStates.filter((state) => query[state]);
  const where = sql<SqlBool>`packages.team_id = ${viewer.teamId} and packages.state = any(${states}::text[])
    and ${visibleTo(viewer.userId, may(viewer.role, 'packages.see_all'))} and ${scope}`;
  const showsLinks = may(viewer.role, 'packages.manage_own');
  const record = recordFor({ tokens }, viewer);
  const toLegacy = async (row: PackageRow, links: readonly Link[]): Promise<LegacyPackage> => {
    const { teamspace, ...fields } = await record(row);
    return { ...fields, teamspace_id: teamspace?.id ?? '', links: [...links] };
  };

  const listed: LegacyPackage[] = [];
  let links = 0;
  let last: PackageRow | undefined;
  while (listed.length < legacyListing.packages && links < legacyListing.links) {
    left.throwIfAborted();
    const rows = await selectPackages(db)
      .where(where)
      .$if(last !== undefined, (select) =>
        select.where(sql<SqlBool>`(packages.created_at, packages.id) < (${last?.created_at}, ${last?.id})`),
      )
      .orderBy('packages.created_at', 'desc')
      .orderBy('packages.id', 'desc')
      .limit(rowsPerQuery)
      .execute();
    const theirs = showsLinks ? await linksOf({ db, urls }, rows) : new Map<string, Link[]>();
    for (const row of rows) {
      const its = theirs.get(row.id) ?? [];
      links += its.length;
      listed.push(await toLegacy(row, its));
    }
    last = rows.at(-1);
    if (rows.length < rowsPerQuery) break;
  }
  return listed;
}

export const legacyListHandlers: HandlersOf<'listTeamPackagesLegacy' | 'listPortalPackagesLegacy'> = {
  async listTeamPackagesLegacy({ params, query }, context) {
    const viewer = await teamAccess(context, params.team_id, 'packages.read');
    const left = context.disconnection();
    return await context.legacyLists.run(viewer.teamId, () => legacyList(context, viewer, query, left));
  },

  async listPortalPackagesLegacy({ params, query }, context) {
    const portal = await context.db.selectFrom('portals').select('team_id').where('id', '=', params.portal_id).executeTakeFirst();
    const viewer = await resourceAccess(context, 'Portal', portal?.team_id, 'packages.read');
    const scope = sql<SqlBool>`packages.portal_id = ${params.portal_id}`;
    const left = context.disconnection();
    return await context.legacyLists.run(viewer.teamId, () => legacyList(context, viewer, query, left, scope));
  },
};
