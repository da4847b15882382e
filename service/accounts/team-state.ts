import { ApiError } from '#protocol/errors.ts';
import type { Services } from '../handler.ts';

export type TeamState = 'active' | 'inactive';

/**
 * Makes a Team inactive or active (contract/teams-and-members.md §2). Its keys are suspended exactly while it is
 * inactive, and have their previous state afterwards: suspension is never stored in a key.
 */
export async function setTeamState({ db, credentials, now }: Services, teamId: string, state: TeamState): Promise<void> {
  const changed = await db.updateTable('teams').set({ state, updated_at: now() }).where('id', '=', teamId).executeTakeFirst();
  if (changed.numUpdatedRows === 0n) throw new ApiError('not_found', { resource: 'Team' });
  credentials.invalidateAll();
}
