import type { Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Passkey } from '#protocol/hosted/mfa.ts';
import { limits } from '#protocol/limits.ts';
import { proveAgain } from '../accounts/fresh-proof.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { violates } from '../database/violations.ts';
import type { HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { formatDateTime } from '../wire-times.ts';
import { factorAdded, factorRemoved, lockUser } from './factors.ts';
import { newPasskeyOptions, passkeyOptions, readNewPasskey } from './passkeys.ts';

type Shown = Pick<Selectable<Database['passkeys']>, 'id' | 'name' | 'created_at' | 'last_used_at'>;

export const toPasskey = ({ id, name, created_at, last_used_at }: Shown): Passkey => ({
  id,
  name,
  created_at: formatDateTime(created_at),
  last_used_at: formatDateTime(last_used_at),
});

const tooMany = () => new ApiError('over_limit', { detail: `A user has at most ${limits.passkeysPerUser} passkeys.` });

/** Passkeys (contract/users-and-auth.md §7). */
export const passkeyHandlers: HandlersOf<'startPasskey' | 'addPasskey' | 'renamePasskey' | 'removePasskey' | 'createPasskeyChallenge'> = {
  async startPasskey({ body }, context) {
    const user = await proveAgain(context, body);
    return { options: await newPasskeyOptions(context, user) };
  },

  /** Its challenge shows that the user has just proved themselves. */
  async addPasskey({ body }, context) {
    const { db, credential, credentials, now } = context;
    const { userId } = credential;
    const made = await readNewPasskey(context, userId, body.response);
    const passkey = { id: newId(), user_id: userId, name: body.name, ...made, created_at: now(), last_used_at: null };
    const codes = await inTransaction(db, async (trx) => {
      await lockUser(trx, userId);
      const { count } = await trx
        .selectFrom('passkeys')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      if (count >= limits.passkeysPerUser) throw tooMany();
      await trx.insertInto('passkeys').values(passkey).execute();
      return await factorAdded(trx, context);
    }).catch((error: unknown) => {
      if (violates(error, 'passkeys_credential_id_key'))
        throw new ApiError('already_exists', { detail: 'This passkey is in use already.' });
      throw error;
    });
    credentials.invalidateUser(userId);
    return { passkey: toPasskey(passkey), recovery_codes: [...codes] };
  },

  async renamePasskey({ params, body }, { db, credential }) {
    const row = await db
      .updateTable('passkeys')
      .set({ name: body.name })
      .where('id', '=', params.passkey_id)
      .where('user_id', '=', credential.userId)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found', { resource: 'passkey' });
    return toPasskey(row);
  },

  async removePasskey({ params, body }, context) {
    const { db } = context;
    const { id } = await proveAgain(context, body);
    await inTransaction(db, async (trx) => {
      const removed = await trx.deleteFrom('passkeys').where('id', '=', params.passkey_id).where('user_id', '=', id).executeTakeFirst();
      if (removed.numDeletedRows === 0n) throw new ApiError('not_found', { resource: 'passkey' });
      await factorRemoved(trx, context);
    });
  },

  async createPasskeyChallenge(_, context) {
    return { options: await passkeyOptions(context) };
  },
};
