import { ApiError } from '#protocol/errors.ts';
import { recordUserAudit } from '../audit/record.ts';
import type { UserCredential } from '../credentials/credential.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { proveAgain } from './fresh-proof.ts';
import { setPassword } from './new-password.ts';
import { hashPassword } from './passwords.ts';
import { ownProfile } from './profile.ts';
import { requireSelf } from './require-self.ts';
import { isTimeZone } from './time-zone.ts';

/** A user's own account (contract/users-and-auth.md §3). */
export const userHandlers: HandlersOf<'updateUser' | 'changePassword'> = {
  async updateUser({ params, body }, context) {
    const { db, now } = context;
    await requireSelf(context, params.user_id);
    await requireNoOtherTeam(context);
    if (body.time_zone !== undefined && !isTimeZone(body.time_zone)) {
      throw new ApiError('invalid_request', { detail: 'The field time_zone must be a name of the IANA database, like Europe/Berlin.' });
    }
    if (body.preferred_team_id !== undefined) await requireOwnTeam(context, body.preferred_team_id);
    // Fields are named one by one, so that unknown fields of the body are not stored.
    const changed = { name: body.name, time_zone: body.time_zone, language: body.language, preferred_team_id: body.preferred_team_id };
    if (Object.values(changed).some((value) => value !== undefined)) {
      await db
        .updateTable('users')
        .set({ ...changed, updated_at: now() })
        .where('id', '=', params.user_id)
        .execute();
    }
    return await ownProfile(context);
  },

  async changePassword({ params, body }, context) {
    const { db, credentials } = context;
    await requireSelf(context, params.user_id);
    const { current_password: password, code, passkey } = body;
    const proven = await proveAgain(context, { password, ...(code !== undefined && { code }), ...(passkey && { passkey }) });
    const hash = await hashPassword(body.password);
    await inTransaction(db, async (trx) => {
      // Of two concurrent changes, the second one proved a password that is no longer the current one.
      const changed = await setPassword(trx, context, { userId: params.user_id, hash, instead: proven.passwordHash });
      if (!changed) throw new ApiError('wrong_password');
      await recordUserAudit(trx, context, params.user_id, { action: 'user.password_changed' });
    }).finally(() => credentials.invalidateUser(params.user_id));
  },
};

/**
 * A company's sign-in changes what its own Team sees of a person, and nothing of what other Teams see. Error: `not_allowed`.
 */
async function requireNoOtherTeam({ db, credential: { userId, ssoTeamId } }: Context<UserCredential>): Promise<void> {
  if (ssoTeamId === null) return;
  const other = await db
    .selectFrom('memberships')
    .select('id')
    .where('user_id', '=', userId)
    .where('team_id', '!=', ssoTeamId)
    .limit(1)
    .executeTakeFirst();
  if (!other) return;
  throw new ApiError('not_allowed', { detail: 'You are a member of other Teams, too. Sign in by your password to change your profile.' });
}

async function requireOwnTeam({ db, credential }: Context<UserCredential>, teamId: string): Promise<void> {
  const membership = isId(teamId)
    ? await db
        .selectFrom('memberships')
        .select('id')
        .where('user_id', '=', credential.userId)
        .where('team_id', '=', teamId)
        .executeTakeFirst()
    : undefined;
  if (!membership) throw new ApiError('not_found', { resource: 'Team (preferred_team_id)' });
}
