import { ApiError } from '#protocol/errors.ts';
import type { PasskeyProof } from '#protocol/hosted/mfa.ts';
import type { Context } from '../handler.ts';
import { checkAttempt, type GuardedSecret, type KnownSource } from '../http/guarded-secret.ts';
import { provePasskey } from './passkeys.ts';
import { hashRecoveryCode, normaliseCode } from './recovery-codes.ts';
import { totpStep } from './totp.ts';

export interface SecondFactor {
  readonly code?: string;
  readonly passkey?: PasskeyProof;
}

/**
 * The limits for wrong codes. Whoever guesses them knows the password, and three codes in a million are right at a time:
 * ten at once and 48 in a day, by whatever number of addresses, find one in twenty years.
 */
export const guardedCode = (userId: string): GuardedSecret => ({
  kind: 'account',
  name: `${userId} code`,
  unknownSources: { burstFactor: 1, drainFactor: 1 },
  maxKnownSources: 32,
});

/**
 * Checks the second factor of a user who has one. Errors: `mfa_required` without one in the call, `mfa_wrong`,
 * `rate_limited` after many wrong codes.
 */
export async function proveSecondFactor(
  context: Context,
  userId: string,
  known: KnownSource,
  { code, passkey }: SecondFactor,
): Promise<void> {
  if (passkey !== undefined) {
    const proved = await provePasskey(context, passkey);
    if (proved.userId !== userId) throw new ApiError('mfa_wrong');
    return;
  }
  if (code === undefined) throw new ApiError('mfa_required', { methods: await methodsOf(context, userId) });
  if (!(await checkAttempt(context, guardedCode(userId), known, () => acceptCode(context, userId, code)))) throw new ApiError('mfa_wrong');
}

/** The kinds of factors that a user has, separated by commas: `totp`, `passkey`, `recovery_code`. */
async function methodsOf({ db }: Context, userId: string): Promise<string> {
  const { totp, passkey, recovery_code } = await db
    .selectNoFrom((select) => [
      select
        .exists(select.selectFrom('totp_secrets').select('user_id').where('user_id', '=', userId).where('sealed', 'is not', null))
        .as('totp'),
      select.exists(select.selectFrom('passkeys').select('id').where('user_id', '=', userId)).as('passkey'),
      select.exists(select.selectFrom('recovery_codes').select('user_id').where('user_id', '=', userId)).as('recovery_code'),
    ])
    .executeTakeFirstOrThrow();
  return Object.entries({ totp, passkey, recovery_code })
    .flatMap(([name, has]) => (has ? [name] : []))
    .join(', ');
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
