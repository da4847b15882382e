import { ApiError } from '#protocol/errors.ts';
import type { PasskeyProof } from '#protocol/hosted/mfa.ts';
import type { Context } from '../handler.ts';
import { addKnownSource, checkAttempt, type GuardedSecret, knownSourceOf } from '../http/guarded-secret.ts';
import { factorNames } from './factor-names.ts';
import { provePasskey } from './passkeys.ts';
import { hashRecoveryCode, normaliseCode } from './recovery-codes.ts';
import { totpStep } from './totp.ts';

export interface SecondFactor {
  readonly code?: string;
  readonly passkey?: PasskeyProof;
}

/** Whose codes are asked for. */
interface CodeOwner {
  readonly id: string;
  /** Since when sign-ins ask for them; null before the first factor. */
  readonly mfaSince: Date | null;
}

/**
 * The limits for wrong codes. Whoever guesses them knows the password, and three codes in a million are right at a time:
 * ten at once and 48 in a day, by whatever number of addresses, find one in twenty years. A source is known for codes by
 * a second factor alone: a thief of the password may have made devices known to the account before there was one.
 *
 * All of it is counted from the first factor on: after an operator has removed all of them, the wrong codes of before
 * don't lock out the new ones. A guesser can't do that: to remove a factor takes a right code.
 */
export const guardedCode = ({ id, mfaSince }: CodeOwner): GuardedSecret => ({
  kind: 'account',
  name: `${id} code`,
  answer: String(mfaSince?.getTime() ?? 0),
  version: mfaSince?.getTime() ?? 0,
  unknownSources: { burstFactor: 1, drainFactor: 1 },
  maxKnownSources: 32,
});

/**
 * Checks the second factor of a user who has one. Errors: `mfa_required` without one in the call, `mfa_wrong`,
 * `rate_limited` after many wrong codes.
 */
export async function proveSecondFactor(context: Context, owner: CodeOwner, { code, passkey }: SecondFactor): Promise<void> {
  const { id: userId } = owner;
  const guarded = guardedCode(owner);
  if (passkey !== undefined) {
    const proved = await provePasskey(context, passkey);
    if (proved.userId !== userId) throw new ApiError('mfa_wrong');
    await addKnownSource(context, guarded, null);
    return;
  }
  if (code === undefined) throw new ApiError('mfa_required', { methods: await factorNames(context.db, userId) });
  const known = await knownSourceOf(context, guarded);
  if (!(await checkAttempt(context, guarded, known, () => acceptCode(context, userId, code)))) throw new ApiError('mfa_wrong');
  await addKnownSource(context, guarded, null);
}

/** Whether a code is right and was not used before; it is used up. */
async function acceptCode(context: Context, userId: string, typed: string): Promise<boolean> {
  const code = normaliseCode(typed);
  return /^\d{6}$/.test(code) ? await acceptTotp(context, userId, code) : await acceptRecoveryCode(context, userId, code);
}

async function acceptTotp({ db, seal, now }: Context, userId: string, code: string): Promise<boolean> {
  const row = await db.selectFrom('totp_secrets').select('sealed').where('user_id', '=', userId).executeTakeFirst();
  if (!row?.sealed) return false;
  const step = totpStep(seal.open(totpPurpose(userId), row.sealed), code, now());
  if (step === null) return false;
  // Two calls with one code: one of them changes the row.
  const used = await db
    .updateTable('totp_secrets')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('sealed', '=', row.sealed)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

async function acceptRecoveryCode({ db }: Context, userId: string, code: string): Promise<boolean> {
  const used = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hashRecoveryCode(code))
    .executeTakeFirst();
  return used.numDeletedRows === 1n;
}

/** What the sealed secret of an authenticator app is bound to. */
export const totpPurpose = (userId: string): string => `totp ${userId}`;
