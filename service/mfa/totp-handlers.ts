import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { proveAgain } from '../accounts/fresh-proof.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { checkAttempt } from '../http/guarded-secret.ts';
import { factorAdded, factorRemoved } from './factors.ts';
import { normaliseCode } from './recovery-codes.ts';
import { guardedCode, totpPurpose } from './second-factor.ts';
import { newTotpSecret, totpStep, totpUri } from './totp.ts';

/** Authenticator apps (contract/users-and-auth.md §7). */
export const totpHandlers: HandlersOf<'startTotp' | 'confirmTotp' | 'removeTotp'> = {
  async startTotp({ body }, context) {
    const { db, seal, now, urls } = context;
    const { id, email } = await proveAgain(context, body);
    const secret = newTotpSecret();
    const pending = {
      pending_sealed: seal.seal(totpPurpose(id), secret),
      pending_until: new Date(now().getTime() + limits.totpEnrolmentSeconds * 1_000),
    };
    // The one in use counts until the new one is confirmed: nobody is locked out by half a change.
    await db
      .insertInto('totp_secrets')
      .values({ user_id: id, sealed: null, ...pending })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(pending))
      .execute();
    return { secret, uri: totpUri(secret, { issuer: new URL(urls.base).host, email }) };
  },

  async confirmTotp({ body }, context) {
    const { db, credential, credentials, seal, now } = context;
    const { userId } = credential;
    const row = await db
      .selectFrom('totp_secrets')
      .innerJoin('users', 'users.id', 'totp_secrets.user_id')
      .select(['pending_sealed as sealed', 'mfa_since as mfaSince'])
      .where('user_id', '=', userId)
      .where('pending_until', '>', now())
      .executeTakeFirst();
    const sealed = row?.sealed;
    if (!row || !sealed) throw new ApiError('state_conflict', { detail: 'No authenticator app waits to be confirmed. Begin again.' });
    const code = normaliseCode(body.code);
    let step: number | null = null;
    await checkAttempt(context, guardedCode({ id: userId, mfaSince: row.mfaSince }), null, async () => {
      step = totpStep(seal.open(totpPurpose(userId), sealed), code, now());
      return step !== null;
    });
    if (step === null) throw new ApiError('mfa_wrong');
    const lastStep = step;
    const codes = await inTransaction(db, async (trx) => {
      const confirmed = await trx
        .updateTable('totp_secrets')
        .set({ sealed, last_step: lastStep, pending_sealed: null, pending_until: null })
        .where('user_id', '=', userId)
        .where('pending_sealed', '=', sealed)
        .executeTakeFirst();
      if (confirmed.numUpdatedRows === 0n) throw new ApiError('mfa_wrong');
      return await factorAdded(trx, context);
    });
    credentials.invalidateUser(userId);
    return { recovery_codes: [...codes] };
  },

  async removeTotp({ body }, context) {
    const { id } = await proveAgain(context, body);
    await inTransaction(context.db, async (trx) => {
      const removed = await trx.deleteFrom('totp_secrets').where('user_id', '=', id).where('sealed', 'is not', null).executeTakeFirst();
      if (removed.numDeletedRows === 0n) throw new ApiError('not_found', { resource: 'authenticator app' });
      await factorRemoved(trx, context);
    });
  },
};
