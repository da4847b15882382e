import type { Kysely, Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { ApiKey, ListedApiKey } from '#protocol/hosted/accounts.ts';
import { limits } from '#protocol/limits.ts';
import type { UserCredential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { may } from '../permissions.ts';
import { readMemberState, requirePermission, requireSignIn, teamAccess } from '../teams/access.ts';
import { requireTeamSlot } from '../teams/team-slot.ts';
import { formatDateTime, parseDateTime } from '../wire-times.ts';
import { hashApiKeySecret, newApiKeySecret } from './api-key-secret.ts';

/** API keys: contract/api-keys.md §2, §3. */

type KeyRow = Omit<Selectable<Database['api_keys']>, 'secret_hash' | 'team_id' | 'created_by'> & {
  readonly team_state: 'active' | 'inactive';
};

/** Suspension is a state of the Team: its keys are suspended while it is inactive, and have their own state again afterwards. */
function toApiKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    expiry: formatDateTime(row.expiry),
    state: row.team_state === 'active' ? row.state : 'suspended',
    created_at: formatDateTime(row.created_at),
    updated_at: formatDateTime(row.updated_at),
    last_request_at: formatDateTime(row.last_request_at),
  };
}

const readable = (db: Kysely<Database>) =>
  db
    .selectFrom('api_keys')
    .innerJoin('teams', 'teams.id', 'api_keys.team_id')
    .select([
      'api_keys.id',
      'api_keys.name',
      'api_keys.description',
      'api_keys.state',
      'api_keys.expiry',
      'api_keys.created_at',
      'api_keys.updated_at',
      'api_keys.last_request_at',
      'api_keys.created_by',
      'teams.state as team_state',
    ]);

/**
 * The key, if the caller manages it: an owner of its Team may manage any key, an admin or integration manager the
 * keys that they created (contract/api-keys.md §3). `not_found` outside the Team, `not_allowed` within it.
 */
async function managedKey({ db, credential }: Context<UserCredential>, keyId: string): Promise<KeyRow> {
  const row = await readable(db).select('api_keys.team_id').where('api_keys.id', '=', keyId).executeTakeFirst();
  const member = row && (await readMemberState(db, credential, row.team_id));
  if (!row || !member) throw new ApiError('not_found', { resource: 'API key' });
  requirePermission(member.role, 'api_keys.manage_own');
  requireSignIn(credential, member);
  if (row.created_by !== credential.userId && !may(member.role, 'api_keys.manage_all')) {
    throw new ApiError('not_allowed', { detail: 'Only the user who made this API key, or an owner of the Team, can change it.' });
  }
  return row;
}

export const apiKeyHandlers: HandlersOf<'createApiKey' | 'updateApiKey' | 'setApiKeyState' | 'deleteApiKey' | 'listApiKeys'> = {
  createApiKey: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'api_keys.create'),
    async ({ params, body }, context, { userId }) => {
      const { db, now } = context;
      const key = newApiKeySecret();
      const row = {
        id: newId(),
        name: body.name,
        description: body.description ?? '',
        state: body.state,
        expiry: parseDateTime(body.expiry, 'expiry'),
        created_at: now(),
        updated_at: now(),
        last_request_at: null,
      };
      await inTransaction(db, async (trx) => {
        await requireTeamSlot(trx, params.team_id, {
          table: 'api_keys',
          most: limits.apiKeysPerTeam,
          detail: `A Team has at most ${limits.apiKeysPerTeam} API keys. Delete one that is not used.`,
        });
        await trx
          .insertInto('api_keys')
          .values({ ...row, team_id: params.team_id, created_by: userId, secret_hash: hashApiKeySecret(key) })
          .execute();
      });
      return { ...toApiKey({ ...row, team_state: 'active' }), key };
    },
  ),

  async updateApiKey({ params, body }, context) {
    const { db, now, credentials } = context;
    const key = await managedKey(context, params.api_key_id);
    if (key.team_state !== 'active') throw new ApiError('key_not_changeable');
    // The body is the whole key, as at creation: omitted fields are unset.
    const changed = {
      name: body.name,
      description: body.description ?? '',
      state: body.state,
      expiry: parseDateTime(body.expiry, 'expiry'),
      updated_at: now(),
    };
    await db.updateTable('api_keys').set(changed).where('id', '=', key.id).execute();
    credentials.invalidateKey(key.id);
    return toApiKey({ ...key, ...changed });
  },

  async setApiKeyState({ params }, context) {
    const { db, now, credentials } = context;
    const key = await managedKey(context, params.api_key_id);
    if (key.team_state !== 'active') throw new ApiError('key_not_changeable');
    await db.updateTable('api_keys').set({ state: params.action, updated_at: now() }).where('id', '=', key.id).execute();
    credentials.invalidateKey(key.id);
  },

  async deleteApiKey({ params }, context) {
    const key = await managedKey(context, params.api_key_id);
    await context.db.deleteFrom('api_keys').where('id', '=', key.id).execute();
    context.credentials.invalidateKey(key.id);
  },

  async listApiKeys({ params, query }, context) {
    const { db, credential } = context;
    const member = await readMemberState(db, credential, params.team_id);
    if (!member) throw new ApiError('not_found', { resource: 'Team' });
    requirePermission(member.role, query.own ? 'api_keys.manage_own' : 'api_keys.list');
    requireSignIn(credential, member);
    // Also for an inactive Team: its owner can see that the keys are suspended.
    let keys = readable(db).where('api_keys.team_id', '=', params.team_id);
    if (query.own) keys = keys.where('api_keys.created_by', '=', credential.userId);
    const rows = await keys
      .innerJoin('users', 'users.id', 'api_keys.created_by')
      .select('users.name as maker')
      .orderBy('api_keys.id')
      .execute();
    return rows.map((row): ListedApiKey => ({ ...toApiKey(row), created_by: { user_id: row.created_by, name: row.maker } }));
  },
};
