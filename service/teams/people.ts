import { type Kysely, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Membership } from '#protocol/hosted/members.ts';
import type { Role } from '#protocol/roles.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { type OpenInvitation, openInvitations } from '../invitations/open.ts';
import { requirePermission, type TeamAccess } from './access.ts';
import { resourceAccess } from './resource.ts';
import { lockTeam } from './team-lock.ts';

/** The members of a Team, with the fields that the API shows. */
export const selectMembers = (db: Kysely<Database>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.id', 'memberships.user_id', 'users.name', 'users.email', 'memberships.role'])
    .select(sql<'active'>`'active'`.as('state'));

/** A member of a Team, or an invited person. The id is that of the membership, which an accepted invitation keeps. */
type Person =
  | { readonly state: 'active'; readonly id: string; readonly role: Role; readonly member: Membership & { readonly user_id: string } }
  | { readonly state: 'invited'; readonly id: string; readonly role: Role; readonly invitation: OpenInvitation };

/** The caller's role in the Team of a person, if they may manage that person. Only owners manage owners. */
export async function personToManage(context: Context<Actor>, memberId: string): Promise<TeamAccess> {
  const found = await findPerson(context.db, memberId);
  const access = await resourceAccess(context, 'member', found?.teamId, 'members.manage');
  if (found!.person.role === 'owner') requirePermission(access.role, 'owners.manage');
  return access;
}

/**
 * Reads the person again under the Team's lock: meanwhile they may have become an owner, accepted the invitation, or
 * left, and the caller may have lost the permission.
 */
export async function lockPerson(trx: Transaction<Database>, access: TeamAccess, memberId: string): Promise<Person> {
  await lockTeam(trx, access.teamId);
  const found = await findPerson(trx, memberId);
  if (found?.teamId !== access.teamId) throw new ApiError('not_found', { resource: 'member' });
  await requireStillAllowed(trx, access, found.person.role);
  return found.person;
}

/** Refuses a caller whose current role may not manage people of this role. The Team must be locked. */
export async function requireStillAllowed(trx: Transaction<Database>, { teamId, userId }: TeamAccess, role: Role): Promise<void> {
  const row = await trx
    .selectFrom('memberships')
    .select('role')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  // A caller who was just removed gets the lowest role.
  const present = row?.role ?? 'guest';
  requirePermission(present, 'members.manage');
  if (role === 'owner') requirePermission(present, 'owners.manage');
}

async function findPerson(db: Kysely<Database>, id: string): Promise<{ readonly teamId: string; readonly person: Person } | null> {
  const row = await selectMembers(db).select('memberships.team_id').where('memberships.id', '=', id).executeTakeFirst();
  if (row) {
    const { team_id: teamId, ...member } = row;
    return { teamId, person: { state: 'active', id, role: member.role, member } };
  }
  const invitation = await openInvitations(db).where('invitations.id', '=', id).executeTakeFirst();
  return invitation ? { teamId: invitation.team_id, person: { state: 'invited', id, role: invitation.role, invitation } } : null;
}
