import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { recordUserAudit } from '../audit/record.ts';
import type { UserCredential } from '../credentials/credential.ts';
import { inTransaction } from '../database/transaction.ts';
import { violates } from '../database/violations.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { addKnownSource } from '../http/guarded-secret.ts';
import { isId } from '../ids.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { queueAccountMail } from '../mail/queue-account-mail.ts';
import { proveAgain } from './fresh-proof.ts';
import { guardedAccount } from './guarded-account.ts';
import { endPasswordResets, setPassword } from './new-password.ts';
import { hashPassword } from './passwords.ts';
import { readProfile } from './profile.ts';
import { isTimeZone } from './time-zone.ts';

/** A user's own account (contract/users-and-auth.md §3). */
export const userHandlers: HandlersOf<'updateUser' | 'changePassword' | 'changeEmail'> = {
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

  async changeEmail({ params, body }, context) {
    const { credentials, attemptLimiter } = context;
    await requireSelf(context, params.user_id);
    const { passwordHash: proven } = await proveAgain(context, body);
    // The response reveals whether an address has a user, so the attempts are limited.
    const free = await attemptLimiter
      .attempt([{ name: `addresses of others ${params.user_id}` }], () => changeAddress(context, body.email, proven))
      .finally(() => credentials.invalidateUser(params.user_id));
    if (!free) throw new ApiError('already_exists', { detail: 'Another user has this e-mail address.' });
    // The current source stays known under the new address.
    await addKnownSource(context, guardedAccount(body.email), null);
    return await ownProfile(context);
  },
};

/** Changes the caller's address, and notifies the old one. False if another user has it. */
async function changeAddress(context: Context<UserCredential>, email: string, proven: string): Promise<boolean> {
  const { userId } = context.credential;
  try {
    await inTransaction(context.db, async (trx) => {
      const before = await trx.selectFrom('users').select('email').where('id', '=', userId).forNoKeyUpdate().executeTakeFirst();
      const changed = await trx
        .updateTable('users')
        .set({ email, token_version: sql`token_version + 1`, updated_at: context.now() })
        .where('id', '=', userId)
        .where('password_hash', '=', proven)
        .executeTakeFirst();
      if (!before || changed.numUpdatedRows === 0n) throw new ApiError('wrong_password');
      await endPasswordResets(trx, userId);
      await recordUserAudit(trx, context, userId, { action: 'user.email_changed', details: { before: before.email, after: email } });
      // Sent to the old address: the owner of the new one knows already.
      await queueAccountMail(trx, context, { kind: 'email_changed', recipient: before.email, language: mailLanguageOf(context.languages) });
    });
    return true;
  } catch (error) {
    if (violates(error, 'users_email')) return false;
    throw error;
  }
}

/**
 * Users can change only their own account. `not_allowed` for a user who shares a Team with the caller, `not_found`
 * for other users and for unknown ids.
 */
async function requireSelf({ db, credential }: Context<UserCredential>, userId: string): Promise<void> {
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

async function ownProfile({ db, credential }: Context<UserCredential>) {
  const profile = await readProfile(db, credential.userId, credential.ssoTeamId ?? undefined);
  if (!profile) throw new ApiError('not_found', { resource: 'user' });
  return profile.user;
}
