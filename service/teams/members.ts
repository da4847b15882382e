import { sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { AddMember } from '#protocol/hosted/members.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { invite, sendAgain } from '../invitations/invite.ts';
import { endInvitationsOf, invited, openInvitations } from '../invitations/open.ts';
import { may } from '../permissions.ts';
import { requirePermission, teamAccess } from './access.ts';
import { lockPerson, personToManage, requireStillAllowed, selectMembers } from './people.ts';
import { lockTeam } from './team-lock.ts';

/** The members of a Team with their roles, and invited people (contract/teams-and-members.md §3, §4). */
export const memberHandlers: HandlersOf<'listMembers' | 'addMember' | 'resendInvitation' | 'updateMember' | 'removeMember'> = {
  async listMembers({ params }, context) {
    const { role } = await teamAccess(context, params.team_id, 'members.read');
    const inside = await selectMembers(context.db).where('memberships.team_id', '=', params.team_id).orderBy('memberships.id').execute();
    // Invited people have not agreed yet to be shown to all members.
    if (!may(role, 'members.manage')) return inside;
    const asked = await openInvitations(context.db).where('team_id', '=', params.team_id).orderBy('id').execute();
    return [...inside, ...asked.map(invited)];
  },

  addMember: creation(
    async ({ params, body }, context) => {
      const access = await teamAccess(context, params.team_id, 'members.manage');
      if (body.role === 'owner') requirePermission(access.role, 'owners.manage');
      requireNoPassword(body);
      return access;
    },
    async ({ params: { team_id: teamId }, body }, context, access) =>
      await inTransaction(context.db, async (trx) => {
        await lockTeam(trx, teamId);
        await requireStillAllowed(trx, access, body.role);
        return await invite(trx, { teamId, invitedBy: access.userId }, body, context);
      }),
  ),

  async resendInvitation({ params }, context) {
    const access = await personToManage(context, params.member_id);
    await inTransaction(context.db, async (trx) => {
      const person = await lockPerson(trx, access, params.member_id);
      if (person.state === 'active') {
        throw new ApiError('state_conflict', { detail: `${person.member.email} is a member of this Team already.` });
      }
      await sendAgain(trx, person.invitation, access.userId, context);
    });
  },

  async updateMember({ params, body: { role } }, context) {
    const { db, credentials, now } = context;
    const access = await personToManage(context, params.member_id);
    if (role === 'owner') requirePermission(access.role, 'owners.manage');
    const changed = await inTransaction(db, async (trx) => {
      const person = await lockPerson(trx, access, params.member_id);
      await requireStillAllowed(trx, access, role);
      if (person.state === 'invited') {
        // The user who chose the role is responsible for the invitation from now on.
        const to = { role, invited_by: access.userId };
        await trx.updateTable('invitations').set(to).where('id', '=', person.id).execute();
        return invited({ ...person.invitation, role });
      }
      const { member } = person;
      if (member.role === 'owner' && role !== 'owner') await requireAnotherOwner(trx, access.teamId, member.id);
      await trx.updateTable('memberships').set({ role }).where('id', '=', member.id).execute();
      await endInvitationsOf(trx, { teamId: access.teamId, userId: member.user_id, role }, now());
      return { ...member, role };
    });
    if (changed.user_id !== undefined) credentials.invalidateUser(changed.user_id);
    return changed;
  },

  async removeMember({ params }, context) {
    const { db, credentials, now } = context;
    const access = await personToManage(context, params.member_id);
    const left = await inTransaction(db, async (trx) => {
      const person = await lockPerson(trx, access, params.member_id);
      if (person.state === 'invited') {
        await trx.updateTable('invitations').set({ revoked_at: now() }).where('id', '=', person.id).execute();
        return null;
      }
      if (person.role === 'owner') await requireAnotherOwner(trx, access.teamId, person.id);
      await leave(trx, access.teamId, person.member.user_id, now());
      return person.member.user_id;
    });
    if (left !== null) credentials.invalidateUser(left);
  },
};

/** Refused, not ignored like other unknown fields: a caller who sends a password would believe that it is valid. */
function requireNoPassword(body: AddMember): void {
  if (!Object.hasOwn(body, 'password')) return;
  throw new ApiError('invalid_request', {
    detail: 'The field password is not taken: people choose their own when they accept the invitation that is mailed to them.',
  });
}

async function requireAnotherOwner(trx: Transaction<Database>, teamId: string, memberId: string): Promise<void> {
  const other = await trx
    .selectFrom('memberships')
    .select(sql`1`.as('one'))
    .where('team_id', '=', teamId)
    .where('role', '=', 'owner')
    .where('id', '!=', memberId)
    .limit(1)
    .executeTakeFirst();
  if (!other) throw new ApiError('state_conflict', { detail: 'This is the only owner of the Team. Make somebody else an owner first.' });
}

/**
 * Removes a user from a Team and from everything that depends on it: its Teamspaces and private Portals. Revokes the
 * invitations that they sent, and deactivates the API keys that they created there. The keys are kept for the owners to
 * see. If the user comes back, they stay inactive.
 */
async function leave(trx: Transaction<Database>, teamId: string, userId: string, at: Date): Promise<void> {
  await trx.deleteFrom('memberships').where('team_id', '=', teamId).where('user_id', '=', userId).execute();
  await trx
    .deleteFrom('teamspace_members')
    .where('user_id', '=', userId)
    .where('teamspace_id', 'in', (db) => db.selectFrom('teamspaces').select('id').where('team_id', '=', teamId))
    .execute();
  await trx
    .deleteFrom('portal_access')
    .where('user_id', '=', userId)
    .where('portal_id', 'in', (db) => db.selectFrom('portals').select('id').where('team_id', '=', teamId))
    .execute();
  await trx
    .updateTable('api_keys')
    .set({ state: 'inactive', updated_at: at })
    .where('team_id', '=', teamId)
    .where('created_by', '=', userId)
    .where('state', '=', 'active')
    .execute();
  await endInvitationsOf(trx, { teamId, userId, role: null }, at);
  // A company's sign-in knows them as who was removed: service/sso/provision.ts.
  await trx.deleteFrom('sso_identities').where('team_id', '=', teamId).where('user_id', '=', userId).execute();
  await trx
    .insertInto('former_members')
    .values({ team_id: teamId, user_id: userId, left_at: at })
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doUpdateSet({ left_at: at }))
    .execute();
  // The primary and the preferred Team must be Teams that the user is a member of.
  const next = sql<string | null>`(select team_id from memberships where user_id = ${userId} order by id limit 1)`;
  await trx
    .updateTable('users')
    .set({
      primary_team_id: sql`case when primary_team_id = ${teamId} then ${next} else primary_team_id end`,
      preferred_team_id: sql`case when preferred_team_id = ${teamId} then ${next} else preferred_team_id end`,
    })
    .where('id', '=', userId)
    .where((where) => where.or([where('primary_team_id', '=', teamId), where('preferred_team_id', '=', teamId)]))
    .execute();
}
