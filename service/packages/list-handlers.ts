import { ApiError } from '#protocol/errors.ts';
import type { HandlersOf } from '../handler.ts';
import { may } from '../permissions.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { listPackages } from './list.ts';

/** The paged lists of packages: of a Team, a Portal, a Teamspace (contract/packages.md §5). */
export const listHandlers: HandlersOf<'listTeamPackages' | 'listPortalPackages' | 'listTeamspacePackages'> = {
  async listTeamPackages({ params, query }, context) {
    const viewer = await teamAccess(context, params.team_id, 'packages.read');
    const { total, records } = await listPackages(context, { viewer, scope: { of: 'team' }, query, skip: (query.page - 1) * query.limit });
    return { metadata: { total }, records };
  },

  async listPortalPackages({ params, query }, context) {
    const portal = await context.db.selectFrom('portals').select('team_id').where('id', '=', params.portal_id).executeTakeFirst();
    const viewer = await resourceAccess(context, 'Portal', portal?.team_id, 'packages.read');
    const scope = { of: 'portal', id: params.portal_id } as const;
    const { total, records } = await listPackages(context, { viewer, scope, query, skip: (query.page - 1) * query.limit });
    return { metadata: { total }, records };
  },

  /** Its pages are counted from 0. A user who is not in the Teamspace, and does not see all, cannot find out that it exists. */
  async listTeamspacePackages({ params, query }, context) {
    const { db } = context;
    const space = await db.selectFrom('teamspaces').select('team_id').where('id', '=', params.space_id).executeTakeFirst();
    const viewer = await resourceAccess(context, 'Teamspace', space?.team_id, 'packages.read');
    if (!may(viewer.role, 'packages.see_all')) {
      const member = await db
        .selectFrom('teamspace_members')
        .select('id')
        .where('user_id', '=', viewer.userId)
        .where('teamspace_id', '=', params.space_id)
        .executeTakeFirst();
      if (!member) throw new ApiError('not_found', { resource: 'Teamspace' });
    }
    const scope = { of: 'teamspace', id: params.space_id } as const;
    const { records } = await listPackages(context, { viewer, scope, query, skip: query.page * query.limit });
    return records;
  },
};
