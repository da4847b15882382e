import { ApiError } from '#protocol/errors.ts';
import type { Services } from '../handler.ts';

/**
 * Turns a Team inactive or active again (decisions, "Accounts"). Its keys are suspended exactly while it is
 * inactive, and afterwards in the state they had: suspension is never written onto a key.
 */
export async function setTeamState({ db, credentials, now }: Services, teamId: string, state: 'active' | 'inactive'): Promise<void> {
  const changed = await db.updateTable('teams').set({ state, updated_at: now() }).where('id', '=', teamId).executeTakeFirst();
  if (changed.numUpdatedRows === 0n) throw new ApiError('not_found', { resource: 'Team' });
  credentials.forgetAll();
}
