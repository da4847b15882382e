import type { Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import { openInvitations } from '../invitations/open.ts';

/** Locks a Team: changes to its members are serialised, so that two owners who leave at the same time cannot both do so. */
export async function lockTeam(trx: Transaction<Database>, teamId: string): Promise<void> {
  await trx.selectFrom('teams').select('id').where('id', '=', teamId).forNoKeyUpdate().execute();
}

/** Locks a Team and checks that it has room for one more member. Errors: `over_limit`. */
export async function requireMemberSlot(trx: Transaction<Database>, teamId: string): Promise<void> {
  await lockTeam(trx, teamId);
  const members = trx.selectFrom('memberships').select('id').where('team_id', '=', teamId);
  // Open invitations count as members, so that accepting one never fails because the Team is full.
  const invited = openInvitations(trx).clearSelect().select('invitations.id').where('team_id', '=', teamId);
  const { count } = await trx
    .selectFrom(members.unionAll(invited).as('people'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= limits.teamMembers) throw new ApiError('over_limit', { detail: `A Team has at most ${limits.teamMembers} members.` });
}
