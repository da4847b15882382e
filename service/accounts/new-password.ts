import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { queueAccountMail } from '../mail/queue-account-mail.ts';

interface NewPassword {
  readonly userId: string;
  /** The result of `hashPassword`. */
  readonly hash: string;
  /** If set: change the password only if this is the current hash. */
  readonly instead?: string;
}

/**
 * Sets the password that a user chose. Invalidates every token issued before and every open password reset and change of address, and
 * notifies the user by mail. False if the current password is not the expected one.
 */
export async function setPassword(
  trx: Transaction<Database>,
  context: Pick<Context, 'jobs' | 'now' | 'languages'>,
  { userId, hash, instead }: NewPassword,
): Promise<boolean> {
  let update = trx
    .updateTable('users')
    .set({ password_hash: hash, password_given: false, token_version: sql`token_version + 1`, updated_at: context.now() })
    .where('id', '=', userId)
    .returning('email');
  if (instead !== undefined) update = update.where('password_hash', '=', instead);
  const user = await update.executeTakeFirst();
  if (!user) return false;
  await endMailedTokens(trx, userId);
  await queueAccountMail(trx, context, { kind: 'password_changed', recipient: user.email, language: mailLanguageOf(context.languages) });
  return true;
}

/** Invalidates what was mailed to a user and not used: password resets, and the confirmation of another address. */
export async function endMailedTokens(trx: Transaction<Database>, userId: string): Promise<void> {
  await trx.deleteFrom('password_resets').where('user_id', '=', userId).where('used_at', 'is', null).execute();
  await endEmailChange(trx, userId);
}

/** Ends the change of address that waits for its confirmation. */
export async function endEmailChange(db: Kysely<Database>, userId: string): Promise<{ readonly email: string } | undefined> {
  return await db
    .updateTable('email_changes')
    .set({ state: 'ended' })
    .where('user_id', '=', userId)
    .where('state', '=', 'open')
    .returning('email')
    .executeTakeFirst();
}
