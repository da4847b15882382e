import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { endInvitationsOf } from '../invitations/open.ts';

/**
 * Removes a user from a Team and from everything that depends on it: its Teamspaces and private Portals. Revokes the
 * invitations that they sent, and deactivates the API keys that they created there. The keys are kept for the owners to
 * see. If the user comes back, they stay inactive.
 */
export async function leave(trx: Transaction<Database>, teamId: string, userId: string, at: Date): Promise<void> {
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
