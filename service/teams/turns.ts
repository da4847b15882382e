import type { Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';

/** Changes to a Team's members take turns, so that of two owners who go at the same time one stays. */
export async function takeTurn(trx: Transaction<Database>, teamId: string): Promise<void> {
  await trx.selectFrom('teams').select('id').where('id', '=', teamId).forNoKeyUpdate().execute();
}

/** Takes a turn at a Team that has room for one more. Errors: `over_limit`. */
export async function requireRoom(trx: Transaction<Database>, teamId: string): Promise<void> {
  await takeTurn(trx, teamId);
  const { count } = await trx
    .selectFrom('memberships')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  if (count >= limits.teamMembers) throw new ApiError('over_limit', { detail: `A Team has at most ${limits.teamMembers} members.` });
}
