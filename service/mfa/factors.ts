import { type Kysely, sql, type Transaction } from 'kysely';
import { recordUserAudit } from '../audit/record.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { queueAccountMail } from '../mail/queue-account-mail.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';

type UserContext = Context<UserCredential>;

/** Serialises changes to a user's factors, so that "the first" and "the last" are counted right. */
export async function lockUser(
  trx: Transaction<Database>,
  userId: string,
): Promise<{ readonly email: string; readonly mfaSince: Date | null }> {
  return await trx
    .selectFrom('users')
    .select(['email', 'mfa_since as mfaSince'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

/**
 * What follows from a new factor, in the transaction that added it. With the first one sign-ins ask for it: the other
 * sessions end, since somebody else may have begun them by a stolen password. Returns the recovery codes of the first
 * one; none for others.
 */
export async function factorAdded(trx: Transaction<Database>, context: UserContext): Promise<readonly string[]> {
  const { credential, now } = context;
  const user = await lockUser(trx, credential.userId);
  await tell(trx, context, 'factor_added', user.email);
  await recordUserAudit(trx, context, credential.userId, { action: 'user.factor_added' });
  if (user.mfaSince !== null) return [];
  await trx.updateTable('users').set({ mfa_since: now() }).where('id', '=', credential.userId).execute();
  let others = trx.deleteFrom('sessions').where('user_id', '=', credential.userId);
  if (credential.sessionId !== null) others = others.where('id', '!=', credential.sessionId);
  await others.execute();
  return await replaceRecoveryCodes(trx, credential.userId);
}

/** What follows from a factor's end, in its transaction: without any other there is nothing left to ask for. */
export async function factorRemoved(trx: Transaction<Database>, context: UserContext): Promise<void> {
  const { credential } = context;
  const user = await lockUser(trx, credential.userId);
  await tell(trx, context, 'factor_removed', user.email);
  await recordUserAudit(trx, context, credential.userId, { action: 'user.factor_removed' });
  await endMfaWithoutFactor(trx, credential.userId);
}

/** Ends the second step of a user's sign-ins if no factor is left; the recovery codes go, too. */
export async function endMfaWithoutFactor(trx: Kysely<Database>, userId: string): Promise<void> {
  const ended = await trx
    .updateTable('users')
    .set({ mfa_since: null })
    .where('id', '=', userId)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('passkeys').select('id').where('user_id', '=', userId))))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('totp_secrets').select('user_id').where('user_id', '=', userId).where('sealed', 'is not', null))),
    )
    .executeTakeFirst();
  if (ended.numUpdatedRows > 0n) await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
}

/** New recovery codes in place of those that are left. Only their hashes are stored. */
export async function replaceRecoveryCodes(trx: Transaction<Database>, userId: string): Promise<readonly string[]> {
  const codes = newRecoveryCodes();
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await trx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_hash: hashRecoveryCode(code) })))
    .execute();
  return codes;
}

/** Removes all factors of a user who has lost them: the operator's way (`longshore admin user mfa reset`). Every sign-in ends. */
export async function removeAllFactors(trx: Transaction<Database>, userId: string, at: Date): Promise<void> {
  await trx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
  await trx.deleteFrom('totp_secrets').where('user_id', '=', userId).execute();
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await trx
    .updateTable('users')
    .set({ mfa_since: null, token_version: sql`token_version + 1`, updated_at: at })
    .where('id', '=', userId)
    .execute();
}

async function tell(
  trx: Transaction<Database>,
  context: UserContext,
  kind: 'factor_added' | 'factor_removed',
  recipient: string,
): Promise<void> {
  await queueAccountMail(trx, context, { kind, recipient, language: mailLanguageOf(context.languages) });
}
