import { ApiError } from '#protocol/errors.ts';
import { proveAgain } from '../accounts/fresh-proof.ts';
import { recordUserAudit } from '../audit/record.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { lockUser, replaceRecoveryCodes } from './factors.ts';
import { passkeyHandlers, toPasskey } from './passkey-handlers.ts';
import { totpHandlers } from './totp-handlers.ts';

/** A user's own second factors (contract/users-and-auth.md §7). */
export const mfaHandlers: HandlersOf<'getMfa' | 'createRecoveryCodes'> & typeof totpHandlers & typeof passkeyHandlers = {
  ...totpHandlers,
  ...passkeyHandlers,

  async getMfa(_, { db, credential: { userId } }) {
    const user = await db
      .selectFrom('users')
      .leftJoin('totp_secrets', 'totp_secrets.user_id', 'users.id')
      .select(['mfa_since', 'totp_secrets.sealed'])
      .select(({ selectFrom }) =>
        selectFrom('recovery_codes')
          .select((select) => select.fn.countAll<number>().as('count'))
          .whereRef('recovery_codes.user_id', '=', 'users.id')
          .as('left'),
      )
      .where('users.id', '=', userId)
      .executeTakeFirstOrThrow();
    const passkeys = await db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute();
    return {
      enabled: user.mfa_since !== null,
      totp: user.sealed !== null,
      passkeys: passkeys.map(toPasskey),
      recovery_codes_left: Number(user.left ?? 0),
    };
  },

  async createRecoveryCodes({ body }, context) {
    const { id } = await proveAgain(context, body);
    const codes = await inTransaction(context.db, async (trx) => {
      const { mfaSince } = await lockUser(trx, id);
      if (mfaSince === null) {
        throw new ApiError('state_conflict', {
          detail: 'Recovery codes stand in for a second factor. Add an authenticator app or a passkey first.',
        });
      }
      await recordUserAudit(trx, context, id, { action: 'user.recovery_codes_made' });
      return await replaceRecoveryCodes(trx, id);
    });
    return { recovery_codes: [...codes] };
  },
};
