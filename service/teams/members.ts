import { type Kysely, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { AddMember, Membership } from '#protocol/hosted/members.ts';
import type { Role } from '#protocol/roles.ts';
import { addUser } from '../accounts/add-user.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { requirePermission, type TeamAccess, teamAccess } from './access.ts';
import { leave } from './leave.ts';
import { resourceAccess } from './resource.ts';
import { requireRoom, takeTurn } from './turns.ts';

const readable = (db: Kysely<Database>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.id', 'memberships.user_id', 'users.name', 'users.email', 'memberships.role']);

/** Who belongs to a Team, in which role (decisions, "Accounts"). */
export const memberHandlers: HandlersOf<'listMembers' | 'addMember' | 'updateMember' | 'removeMember'> = {
  async listMembers({ params }, context) {
    await teamAccess(context, params.team_id, 'members.read');
    return await readable(context.db).where('memberships.team_id', '=', params.team_id).orderBy('memberships.id').execute();
  },

  async addMember({ params, body }, context) {
    const access = await teamAccess(context, params.team_id, 'members.manage');
    if (body.role === 'owner') requirePermission(access.role, 'owners.manage');
    return await inTransaction(context.db, async (trx) => {
      await requireRoom(trx, params.team_id);
      return await join(trx, params.team_id, body, context.now());
    });
  },

  async updateMember({ params, body }, context) {
    const { db, credentials } = context;
    const { access, before } = await managedMember(context, params.member_id);
    if (body.role === 'owner') requirePermission(access.role, 'owners.manage');
    const changed = await inTransaction(db, async (trx) => {
      const member = await lockMember(trx, access, before.id);
      if (member.role === 'owner' && body.role !== 'owner') await requireAnotherOwner(trx, access.teamId, member.id);
      await trx.updateTable('memberships').set({ role: body.role }).where('id', '=', member.id).execute();
      return { ...member, role: body.role };
    });
    credentials.forgetUser(before.user_id);
    return changed;
  },

  async removeMember({ params }, context) {
    const { db, credentials, now } = context;
    const { access, before } = await managedMember(context, params.member_id);
    await inTransaction(db, async (trx) => {
      const member = await lockMember(trx, access, before.id);
      if (member.role === 'owner') await requireAnotherOwner(trx, access.teamId, member.id);
      await leave(trx, access.teamId, member.user_id, now());
    });
    credentials.forgetUser(before.user_id);
  },
};

/**
 * Adds a person to a Team: the user with this e-mail address, or a new one. `already_exists` for a member.
 * A new one without a password gets one that nobody knows, so they cannot sign in until the operator resets it.
 */
async function join(trx: Transaction<Database>, teamId: string, person: AddMember, at: Date): Promise<Membership> {
  const user = await addUser(trx, { email: person.email, name: person.name, password: person.password, teamId }, at);
  const id = newId();
  const made = await trx
    .insertInto('memberships')
    .values({ id, team_id: teamId, user_id: user.id, role: person.role, created_at: at })
    .onConflict((conflict) => conflict.columns(['user_id', 'team_id']).doNothing())
    .executeTakeFirst();
  if (made.numInsertedOrUpdatedRows === 0n)
    throw new ApiError('already_exists', { detail: `${user.email} is a member of this Team already.` });
  return { id, user_id: user.id, name: user.name, email: user.email, role: person.role };
}

/** A member and the caller's standing in their Team. Owners are managed by owners only. */
async function managedMember(context: Context<Actor>, memberId: string): Promise<{ access: TeamAccess; before: Membership }> {
  const row = await readable(context.db).select('memberships.team_id').where('memberships.id', '=', memberId).executeTakeFirst();
  const access = await resourceAccess(context, 'member', row?.team_id, 'members.manage');
  const { team_id: _, ...before } = row!;
  if (before.role === 'owner') requirePermission(access.role, 'owners.manage');
  return { access, before };
}

/** The member as it is once nobody else is changing the Team: meanwhile it may have become an owner, or gone. */
async function lockMember(trx: Transaction<Database>, access: TeamAccess, memberId: string): Promise<Membership> {
  await takeTurn(trx, access.teamId);
  const member = await readable(trx).where('memberships.id', '=', memberId).executeTakeFirst();
  if (!member) throw new ApiError('not_found', { resource: 'member' });
  if (member.role === 'owner') requirePermission(await presentRole(trx, access), 'owners.manage');
  return member;
}

/** The caller's role now. A caller who has just been removed has the least. */
async function presentRole(trx: Transaction<Database>, { teamId, userId }: TeamAccess): Promise<Role> {
  const row = await trx
    .selectFrom('memberships')
    .select('role')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role ?? 'guest';
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
