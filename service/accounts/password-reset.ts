import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { recordUserAudit } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { addKnownSource } from '../http/guarded-secret.ts';
import { newId } from '../ids.ts';
import type { JobHandler } from '../jobs/context.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { newMessageIdentity, queueAccountMail } from '../mail/queue-account-mail.ts';
import { guardedAccount } from './guarded-account.ts';
import { hashMailedToken } from './mailed-tokens.ts';
import { setPassword } from './new-password.ts';
import { hashPassword } from './passwords.ts';

/** Forgotten passwords (contract/users-and-auth.md §5). */
export const passwordResetHandlers: HandlersOf<'requestPasswordReset' | 'resetPassword'> = {
  /** Does no lookup: a job does it, so that neither the response nor its time reveals whether the user exists. */
  async requestPasswordReset({ body }, { db, jobs, languages }) {
    await jobs.add(db, 'accounts.password_reset', { email: body.email, language: mailLanguageOf(languages) });
    return {};
  },

  async resetPassword({ params, body }, context) {
    const { db, credentials, now } = context;
    // Checked before the hash is computed, which takes time and memory: callers without a valid token must not cause
    // that.
    const { user_id: userId } = await validReset(db, params.token, now());
    const hash = await hashPassword(body.password);
    const email = await inTransaction(db, async (trx) => {
      // Serialises changes to this user's password or address. After the wait, the token may no longer be valid.
      const user = await trx.selectFrom('users').select('email').where('id', '=', userId).forNoKeyUpdate().executeTakeFirstOrThrow();
      const { id } = await validReset(trx, params.token, now());
      await trx.updateTable('password_resets').set({ used_at: now() }).where('id', '=', id).execute();
      await setPassword(trx, context, { userId, hash });
      await recordUserAudit(trx, context, userId, { action: 'user.password_changed', details: { by: 'mail' } });
      return user.email;
    });
    credentials.invalidateUser(userId);
    // This person can read the account's mail, so they may sign in from here, however many others guess its password.
    await addKnownSource(context, guardedAccount(email), null);
  },
};

const thing = 'way to a new password';

/** Errors: `not_found`, `token_used`, `token_expired`. */
async function validReset(db: Kysely<Database>, token: string, at: Date): Promise<{ readonly id: string; readonly user_id: string }> {
  const row = await db
    .selectFrom('password_resets')
    .select(['id', 'user_id', 'expires_at', 'used_at'])
    .where('token_hash', '=', hashMailedToken(token))
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: thing });
  if (row.used_at !== null) throw new ApiError('token_used', { thing });
  if (row.expires_at <= at) throw new ApiError('token_expired', { thing });
  return row;
}

/** Mails a password reset to the user with this address; nothing is sent if there is none, or after too many such mails. */
export const mailPasswordReset: JobHandler<'accounts.password_reset'> = async ({ email, language }, context) => {
  const { db, now, mailedTokens } = context;
  await inTransaction(db, async (trx) => {
    const at = now();
    const user = await trx
      .selectFrom('users')
      .select(['id', 'email'])
      .where(sql`lower(email)`, '=', email.toLowerCase())
      // Serialised, so that the mails are counted correctly.
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!user) return;
    const { mails } = await trx
      .selectFrom('messages')
      .select((select) => select.fn.countAll<number>().as('mails'))
      .where('kind', '=', 'password_reset')
      .where('package_id', 'is', null)
      .where(sql`lower(recipient)`, '=', user.email.toLowerCase())
      .where('created_at', '>', new Date(at.getTime() - 3_600_000))
      .executeTakeFirstOrThrow();
    if (mails >= limits.passwordResetsPerHour) return;
    const mailed = newMessageIdentity(mailedTokens);
    const reset = { id: newId(), user_id: user.id, token_hash: mailed.tokenHash };
    const expires = new Date(at.getTime() + limits.passwordResetSeconds * 1_000);
    await trx
      .insertInto('password_resets')
      .values({ ...reset, expires_at: expires, used_at: null, created_at: at })
      .execute();
    const about = { kind: 'password_reset', messageId: mailed.messageId, passwordResetId: reset.id } as const;
    await queueAccountMail(trx, context, { ...about, recipient: user.email, language });
  });
};
