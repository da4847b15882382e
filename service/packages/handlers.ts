import { ApiError } from '#protocol/errors.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { may } from '../permissions.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { managePackage, seePackage } from './access.ts';
import { bulkArchiveHandlers } from './bulk-archive.ts';
import { changeHandlers } from './change.ts';
import { createTeamPackage } from './create.ts';
import { applyEvent } from './end.ts';
import { finalizePackage } from './finalize.ts';
import { packageFindings } from './findings.ts';
import { holdHandlers } from './hold.ts';
import { legacyListHandlers } from './legacy-lists.ts';
import { findPackage, listPackages } from './list.ts';
import { toPackage } from './row.ts';
import type { PackageEvent } from './state-machine.ts';
import { waitForPackages } from './wait.ts';

/** The lists of packages, and one of them: of a Team, a Portal, a Teamspace (contract/packages.md §5). */
const listHandlers: HandlersOf<'getTeamPackage' | 'listTeamPackages' | 'listPortalPackages' | 'listTeamspacePackages'> = {
  async getTeamPackage({ params }, context) {
    const viewer = await teamAccess(context, params.team_id, 'packages.read');
    const found = await findPackage(context, viewer, params.package_id);
    if (!found) throw new ApiError('not_found', { resource: 'package' });
    return found;
  },

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

/** Creates the handler of a call that applies an event to a package, by its management token (contract/packages.md §1). */
const applies =
  (event: Exclude<PackageEvent, 'finalize'>): HandlersOf<'deletePackage'>['deletePackage'] =>
  async ({ params }, context) => {
    await managePackage(context, params.package_id);
    await inTransaction(context.db, (db) => applyEvent(db, context, params.package_id, event));
  };

const lifeHandlers: HandlersOf<'deletePackage' | 'archivePackage' | 'unarchivePackage'> = {
  deletePackage: applies('delete'),
  archivePackage: applies('archive'),
  unarchivePackage: applies('unarchive'),
};

/**
 * A package by any of its tokens (contract/conventions.md §9.3). The record contains the token of the request, so it
 * grants the same rights for the same time, and no more. A recipient sees no other recipients, and a sender through a
 * Portal sees none.
 */
const getPackage: HandlersOf<'getPackage'>['getPackage'] = async ({ params }, context) => {
  const { credential } = context;
  const { row, linkEmail } = await seePackage(context, params.package_id);
  const seesAll = credential.userId !== null;
  const recipients = seesAll ? row.recipients : linkEmail === '' ? [] : [linkEmail];
  const viewer = { accessToken: credential.token, recipients };
  if (credential.kind !== 'package:manage') return toPackage(row, viewer);
  // Its holder is of the Team, and may see the package still.
  return toPackage(row, { ...viewer, ofTeam: true, findings: await packageFindings(context.db, row.id, row.contains_virus) });
};

/** Packages: from creation to archive, and their lists. */
export const packageHandlers = {
  createTeamPackage,
  finalizePackage,
  getPackage,
  ...changeHandlers,
  ...lifeHandlers,
  ...holdHandlers,
  ...bulkArchiveHandlers,
  ...listHandlers,
  ...legacyListHandlers,
  waitForPackages,
};
