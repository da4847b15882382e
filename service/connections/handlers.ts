import type { Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Connection } from '#protocol/hosted/connections.ts';
import { limits } from '#protocol/limits.ts';
import { providers } from '#protocol/providers.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { formatDateTime } from '../wire-times.ts';
import { changedAuthorization, newAuthorization, openAuthorization, sealAuthorization } from './authorization.ts';
import { checkConnectionRules } from './rules.ts';

type ConnectionRow = Selectable<Database['cloud_connections']>;

const toConnection = (row: ConnectionRow): Connection => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  direction: row.direction,
  state: row.state,
  state_message: row.state_message,
  target_directory_id: row.target_directory_id,
  source_directory_ids: row.source_directory_ids,
  upload_transfer_manifest: row.upload_transfer_manifest,
  ...(row.storage_gateway_id !== null && { storage_gateway_id: row.storage_gateway_id }),
  created_at: formatDateTime(row.created_at),
  updated_at: formatDateTime(row.updated_at),
});

const noGateway = { state: 'offline', state_message: 'No storage gateway is connected to it.' } as const;

async function connectionOf(context: Context<Actor>, connectionId: string): Promise<ConnectionRow> {
  const row = await context.db
    .selectFrom('cloud_connections')
    .selectAll()
    .where('id', '=', connectionId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  await resourceAccess(context, 'connection', row?.team_id, 'integrations.manage');
  return row!;
}

/** Cloud connections' records: contract/connections.md §3, §4. */
export const connectionHandlers: HandlersOf<
  'createConnection' | 'listConnections' | 'getConnection' | 'updateConnection' | 'deleteConnection'
> = {
  createConnection: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    async ({ params, body }, context, { userId }) => {
      const { db, now, seal } = context;
      const provider = providers[body.provider];
      const direction = body.direction ?? 'service_to_cloud';
      const authorization = newAuthorization(body.provider, direction, body.authorization);
      checkConnectionRules(body, direction);
      // Gateways cannot be registered yet, so none can be found.
      if (body.storage_gateway_id !== undefined) throw new ApiError('not_found', { resource: 'storage gateway (storage_gateway_id)' });
      const { count } = await db
        .selectFrom('cloud_connections')
        .select((select) => select.fn.countAll<string>().as('count'))
        .where('team_id', '=', params.team_id)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      if (Number(count) >= limits.connectionsPerTeam) {
        throw new ApiError('over_limit', {
          detail: `A Team has at most ${limits.connectionsPerTeam} connections. Delete one that is not used.`,
        });
      }
      const id = newId();
      const row = await db
        .insertInto('cloud_connections')
        .values({
          id,
          team_id: params.team_id,
          created_by: userId,
          name: body.name ?? provider.label,
          provider: body.provider,
          direction,
          ...(provider.gateway && noGateway),
          sealed_authorization: sealAuthorization(seal, id, authorization),
          target_directory_id: body.target_directory_id ?? '',
          source_directory_ids: body.source_directory_ids ?? [],
          upload_transfer_manifest: body.upload_transfer_manifest ?? false,
          storage_gateway_id: null,
          created_at: now(),
          updated_at: now(),
          deleted_at: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toConnection(row);
    },
  ),

  async listConnections({ params }, context) {
    await teamAccess(context, params.team_id, 'integrations.manage');
    const rows = await context.db
      .selectFrom('cloud_connections')
      .selectAll()
      .where('team_id', '=', params.team_id)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute();
    return rows.map(toConnection);
  },

  async getConnection({ params }, context) {
    return toConnection(await connectionOf(context, params.connection_id));
  },

  async updateConnection({ params, body }, context) {
    const { db, now, seal } = context;
    const { id } = await connectionOf(context, params.connection_id);
    return await inTransaction(db, async (trx) => {
      // Locked, so that of two concurrent updates neither restores the other's old credentials.
      const row = await trx
        .selectFrom('cloud_connections')
        .selectAll()
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .forUpdate()
        .executeTakeFirst();
      if (!row) throw new ApiError('not_found', { resource: 'connection' });
      const sent = body.authorization;
      const changed = await trx
        .updateTable('cloud_connections')
        .set({
          updated_at: now(),
          ...(body.name !== undefined && { name: body.name }),
          ...(sent && {
            sealed_authorization: sealAuthorization(
              seal,
              id,
              changedAuthorization(row.provider, row.direction, openAuthorization(seal, row), sent),
            ),
            // The error was about the old credentials; the new ones are tried at their first use.
            ...(row.state === 'error' && { state: 'ok' as const, state_message: '' }),
          }),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toConnection(changed);
    });
  },

  async deleteConnection({ params }, context) {
    const { db, now } = context;
    const { id } = await connectionOf(context, params.connection_id);
    await inTransaction(db, async (trx) => {
      // The row is kept for transfers in progress. Portals attach under a share lock on it, so none can attach in
      // between.
      await trx.updateTable('cloud_connections').set({ deleted_at: now() }).where('id', '=', id).where('deleted_at', 'is', null).execute();
      await trx.deleteFrom('portal_connections').where('connection_id', '=', id).execute();
    });
  },
};
