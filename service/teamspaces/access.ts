import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Role } from '#protocol/roles.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { isId } from '../ids.ts';
import { may, type Permission } from '../permissions.ts';
import { requirePermission } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';

interface SeenTeamspace {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
}

/** Whether a user is a member of the Teamspace of the current row. */
export function isTeamspaceMember(userId: string) {
  return sql<boolean>`exists (select 1 from teamspace_members
    where teamspace_members.teamspace_id = teamspaces.id and teamspace_members.user_id = ${userId})`;
}

/**
 * A Teamspace, if the caller sees it: owners and admins see all of their Team, other users those they are members of
 * (contract/teamspaces.md §1). Errors: `not_found` for one that they do not see, `team_inactive`, `not_allowed` for one
 * that they see without having the permission.
 */
export async function seeTeamspace(context: Context<Actor>, spaceId: string, permission: Permission): Promise<SeenTeamspace> {
  const { db, credential } = context;
  const row = await db
    .selectFrom('teamspaces')
    .select(['id', 'team_id', 'name', isTeamspaceMember(credential.userId).as('mine')])
    .where('id', '=', spaceId)
    .executeTakeFirst();
  const { role } = await resourceAccess(context, 'Teamspace', row?.team_id, 'teamspaces.read');
  if (!row || !(row.mine || may(role, 'teamspaces.see_all'))) throw new ApiError('not_found', { resource: 'Teamspace' });
  requirePermission(role, permission);
  return { id: row.id, teamId: row.team_id, name: row.name };
}

/** A Teamspace of a Team that a member of the Team sees; `not_found` for every other id. */
export async function seenTeamspace(
  db: Kysely<Database>,
  { teamId, userId, role }: { readonly teamId: string; readonly userId: string; readonly role: Role },
  spaceId: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const row = isId(spaceId)
    ? await db
        .selectFrom('teamspaces')
        .select(['id', 'name', isTeamspaceMember(userId).as('mine')])
        .where('id', '=', spaceId)
        .where('team_id', '=', teamId)
        .executeTakeFirst()
    : undefined;
  if (!row || !(row.mine || may(role, 'teamspaces.see_all')))
    throw new ApiError('not_found', { resource: 'Teamspace of this Team (in teamspace.id)' });
  return { id: row.id, name: row.name };
}

/** Locks a Teamspace until the transaction ends, so that nobody deletes it meanwhile. `not_found` when it is gone. */
export async function lockTeamspace(trx: Kysely<Database>, spaceId: string): Promise<void> {
  const row = await trx.selectFrom('teamspaces').select('id').where('id', '=', spaceId).forKeyShare().executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'Teamspace' });
}
