import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';

export type TeamState = 'active' | 'inactive';

/**
 * Turns a Team inactive or active again (decisions, "Accounts"). Its keys are suspended exactly while it is
 * inactive, and afterwards in the state they had: suspension is never written onto a key.
 */
export async function setTeamState({ db, credentials, now }: Services, teamId: string, state: TeamState): Promise<void> {
  if (!(await writeTeamState(db, teamId, state, now()))) throw new ApiError('not_found', { resource: 'Team' });
  credentials.forgetAll();
}

/** As written, which processes of the service hear within seconds; false where there is no such Team. */
export async function writeTeamState(db: Kysely<Database>, teamId: string, state: TeamState, at: Date): Promise<boolean> {
  const changed = await db.updateTable('teams').set({ state, updated_at: at }).where('id', '=', teamId).executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}
