import { ApiError } from '#protocol/errors.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';

/**
 * Users can change only their own account. `not_allowed` for a user who shares a Team with the caller, `not_found`
 * for other users and for unknown ids.
 */
export async function requireSelf({ db, credential }: Context<UserCredential>, userId: string): Promise<void> {
  if (credential.userId === userId) return;
  const colleague = await db
    .selectFrom('memberships as theirs')
    .innerJoin('memberships as mine', 'mine.team_id', 'theirs.team_id')
    .select('theirs.id')
    .where('theirs.user_id', '=', userId)
    .where('mine.user_id', '=', credential.userId)
    .limit(1)
    .executeTakeFirst();
  if (!colleague) throw new ApiError('not_found', { resource: 'user' });
  throw new ApiError('not_allowed', { detail: 'Only a person themselves can change their account.' });
}
