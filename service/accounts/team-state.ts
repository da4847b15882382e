import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';

export type TeamState = 'active' | 'inactive';

/**
 * Makes a Team inactive or active (contract/teams-and-members.md §2). Its keys are suspended exactly while it is
 * inactive, and have their previous state afterwards: suspension is never stored in a key.
 */
export async function setTeamState({ db, credentials, now }: Services, teamId: string, state: TeamState): Promise<void> {
  if (!(await writeTeamState(db, teamId, state, now()))) throw new ApiError('not_found', { resource: 'Team' });
  credentials.invalidateAll();
}

/** Only writes the state; the processes of the service notice it within seconds. False if the Team does not exist. */
export async function writeTeamState(db: Kysely<Database>, teamId: string, state: TeamState, at: Date): Promise<boolean> {
  const changed = await db.updateTable('teams').set({ state, updated_at: at }).where('id', '=', teamId).executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}
