import { type Kysely, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { recordUserAudit } from '../audit/record.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { violates } from '../database/violations.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { addKnownSource } from '../http/guarded-secret.ts';
import { newId } from '../ids.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { newMessageIdentity, queueAccountMail } from '../mail/queue-account-mail.ts';
import { formatDateTime } from '../wire-times.ts';
import { proveAgain } from './fresh-proof.ts';
import { guardedAccount } from './guarded-account.ts';
import { hashMailedToken } from './mailed-tokens.ts';
import { endEmailChange, endMailedTokens } from './new-password.ts';
import { ownProfile } from './profile.ts';
import { requireSelf } from './require-self.ts';

const thing = 'confirmation of an address';
const hour = 3_600_000;
const addressTaken = (): ApiError => new ApiError('already_exists', { detail: 'Another user has this e-mail address.' });

/** A new e-mail address, which the user has once a mail to it is confirmed (contract/users-and-auth.md §3). */
export const emailChangeHandlers: HandlersOf<
  'changeEmail' | 'getEmail' | 'resendEmailChange' | 'cancelEmailChange' | 'getEmailChange' | 'confirmEmailChange'
> = {
  async changeEmail({ params, body }, context) {
    const { db, attemptLimiter } = context;
    const { userId } = context.credential;
    await requireSelf(context, params.user_id);
    const { passwordHash: proven } = await proveAgain(context, body);
    // The response reveals whether an address has a user, so the attempts are limited.
    const free = await attemptLimiter.attempt([{ name: `addresses of others ${userId}` }], () => isFree(db, body.email, userId));
    if (!free) throw addressTaken();
    await inTransaction(db, async (trx) => {
      const user = await lockUser(trx, userId);
      // The proven password may have been changed meanwhile.
      if (user.password_hash !== proven) throw new ApiError('wrong_password');
      await mailConfirmation(trx, context, body.email);
      await recordUserAudit(trx, context, userId, {
        action: 'user.email_change_asked',
        details: { before: user.email, after: body.email },
      });
      const language = mailLanguageOf(context.languages);
      await queueAccountMail(trx, context, { kind: 'email_change_asked', recipient: user.email, language });
    });
    return await ownProfile(context);
  },

  async getEmail({ params }, context) {
    await requireSelf(context, params.user_id);
    const [{ email }, pending] = await Promise.all([ownProfile(context), openChange(context.db, params.user_id, context.now())]);
    return { email, ...(pending && { pending: { email: pending.email, expires_at: formatDateTime(pending.expires_at) } }) };
  },

  async resendEmailChange({ params }, context) {
    await requireSelf(context, params.user_id);
    await inTransaction(context.db, async (trx) => {
      await lockUser(trx, params.user_id);
      const open = await openChange(trx, params.user_id, context.now());
      if (!open) throw new ApiError('not_found', { resource: 'change of the address' });
      await mailConfirmation(trx, context, open.email);
    });
    return {};
  },

  async cancelEmailChange({ params }, context) {
    await requireSelf(context, params.user_id);
    await inTransaction(context.db, async (trx) => {
      const ended = await endEmailChange(trx, params.user_id);
      if (ended)
        await recordUserAudit(trx, context, params.user_id, { action: 'user.email_change_cancelled', details: { after: ended.email } });
    });
  },

  async getEmailChange({ params }, { db, now }) {
    const { email, expires_at: end } = await validChange(db, params.token, now());
    return { email, expires_at: formatDateTime(end) };
  },

  async confirmEmailChange({ params }, context) {
    const { db, now, credentials } = context;
    const { user_id: userId } = await validChange(db, params.token, now());
    const email = await inTransaction(db, async (trx) => {
      const before = await lockUser(trx, userId);
      // Looked up again: while waiting for the lock, another call may have used or ended it.
      const { id, email: after } = await validChange(trx, params.token, now());
      await trx.updateTable('email_changes').set({ state: 'confirmed' }).where('id', '=', id).execute();
      await trx
        .updateTable('users')
        .set({ email: after, token_version: sql`token_version + 1`, updated_at: now() })
        .where('id', '=', userId)
        .execute();
      await endMailedTokens(trx, userId);
      await recordUserAudit(trx, context, userId, { action: 'user.email_changed', details: { before: before.email, after } });
      // Sent to the old address: the owner of the new one knows already.
      await queueAccountMail(trx, context, { kind: 'email_changed', recipient: before.email, language: mailLanguageOf(context.languages) });
      return after;
    })
      .catch((error: unknown) => {
        throw violates(error, 'users_email') ? addressTaken() : error;
      })
      .finally(() => credentials.invalidateUser(userId));
    // This person can read the account's mail, so they may sign in from here, however many others guess its password.
    await addKnownSource(context, guardedAccount(email), null);
  },
};

async function isFree(db: Kysely<Database>, email: string, userId: string): Promise<boolean> {
  const other = await db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('id', '!=', userId)
    .executeTakeFirst();
  return other === undefined;
}

/** Serialises what changes a user's password or address, and what is mailed about it. */
async function lockUser(trx: Transaction<Database>, userId: string) {
  return await trx
    .selectFrom('users')
    .select(['email', 'password_hash'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new ApiError('not_found', { resource: 'user' }));
}

/** What waits for its confirmation. */
async function openChange(db: Kysely<Database>, userId: string, at: Date) {
  return await db
    .selectFrom('email_changes')
    .select(['email', 'expires_at'])
    .where('user_id', '=', userId)
    .where('state', '=', 'open')
    .where('expires_at', '>', at)
    .executeTakeFirst();
}

/**
 * Mails a new confirmation to a wanted address, and ends the one before. The user's row is locked. Error:
 * `rate_limited`.
 */
async function mailConfirmation(trx: Transaction<Database>, context: Context<UserCredential>, email: string): Promise<void> {
  const { userId } = context.credential;
  const at = context.now();
  const recent = await trx
    .selectFrom('email_changes')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('created_at', '>', new Date(at.getTime() - hour))
    .orderBy('created_at')
    .execute();
  if (recent.length >= limits.emailConfirmationsPerHour) {
    throw new ApiError('rate_limited', { seconds: Math.ceil((recent[0]!.created_at.getTime() + hour - at.getTime()) / 1_000) });
  }
  await endEmailChange(trx, userId);
  const { messageId, tokenHash } = newMessageIdentity(context.mailedTokens);
  const expires = new Date(at.getTime() + limits.emailChangeSeconds * 1_000);
  await trx
    .insertInto('email_changes')
    .values({ id: newId(), user_id: userId, email, token_hash: tokenHash, expires_at: expires, created_at: at })
    .execute();
  await queueAccountMail(trx, context, {
    kind: 'email_confirmation',
    messageId,
    recipient: email,
    language: mailLanguageOf(context.languages),
  });
}

/** Errors: `not_found`, `token_used`, `token_expired`. */
async function validChange(db: Kysely<Database>, token: string, at: Date) {
  const row = await db
    .selectFrom('email_changes')
    .select(['id', 'user_id', 'email', 'state', 'expires_at'])
    .where('token_hash', '=', hashMailedToken(token))
    .executeTakeFirst();
  if (!row || row.state === 'ended') throw new ApiError('not_found', { resource: thing });
  if (row.state === 'confirmed') throw new ApiError('token_used', { thing });
  if (row.expires_at <= at) throw new ApiError('token_expired', { thing });
  return row;
}
