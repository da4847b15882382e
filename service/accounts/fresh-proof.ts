import { ApiError } from '#protocol/errors.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Context } from '../handler.ts';
import { checkAttempt, type GuardedSecret, knownSourceOf } from '../http/guarded-secret.ts';
import { proveSecondFactor, type SecondFactor } from '../mfa/second-factor.ts';
import { guardedAccount } from './guarded-account.ts';
import { passwordMatches } from './passwords.ts';

/** Wrong passwords of signed-in users are counted separately: strangers cannot block a user from changing the password. */
const byToken = (account: GuardedSecret, version: number): GuardedSecret => ({ ...account, name: `${account.name} by token`, version });

export interface ProvenPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** The hash that the password was checked against. */
  readonly passwordHash: string;
}

/**
 * Has a signed-in user prove again who they are, by the password and, where they have one, a second factor: whoever finds
 * an open page, or steals a token, cannot take the account. Errors: `wrong_password`, `mfa_required`, `mfa_wrong`,
 * `rate_limited`.
 */
export async function proveAgain(
  context: Context<UserCredential>,
  { password, ...factor }: SecondFactor & { readonly password: string },
): Promise<ProvenPerson> {
  const { db, credential } = context;
  const user = await db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'password_hash', 'token_version', 'mfa_since'])
    .where('id', '=', credential.userId)
    .executeTakeFirst();
  if (!user) throw new ApiError('not_found', { resource: 'user' });
  const account = guardedAccount(user.email);
  const known = await knownSourceOf(context, account);
  const right = await checkAttempt(context, byToken(account, user.token_version), known, () =>
    passwordMatches(user.password_hash, password),
  );
  if (!right) throw new ApiError('wrong_password');
  if (user.mfa_since !== null) await proveSecondFactor(context, { id: user.id, mfaSince: user.mfa_since }, factor);
  return { id: user.id, email: user.email, name: user.name, passwordHash: user.password_hash };
}
