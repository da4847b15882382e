import { ApiError } from '#protocol/errors.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';

export interface Operator {
  readonly userId: string;
  readonly email: string;
}

/**
 * The operator who calls (contract/operator.md §1): by a sign-in of their own, since a company's sign-in counts in its
 * Team alone. Error: `not_allowed` (403).
 */
export async function operatorAccess({ db, credential, facts }: Context<UserCredential>): Promise<Operator> {
  const { userId, ssoTeamId } = credential;
  const user = await db.selectFrom('users').select(['email', 'is_operator', 'mfa_since']).where('id', '=', userId).executeTakeFirst();
  if (!user?.is_operator) throw new ApiError('not_allowed', { detail: 'Only operators of this service may do that.' });
  if (ssoTeamId !== null) {
    throw new ApiError('not_allowed', {
      detail: "A company's sign-in counts in its Team alone. Sign in by your password to operate the service.",
    });
  }
  if (facts.operatorMfa && user.mfa_since === null) {
    throw new ApiError('not_allowed', {
      detail: 'This service asks its operators for a second factor, and you have none yet. Add one in your profile, under Security.',
    });
  }
  return { userId, email: user.email };
}
