import type { Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Connection } from '#protocol/hosted/connections.ts';
import { limits } from '#protocol/limits.ts';
import { providers } from '#protocol/providers.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { bindToGateway, requireGateway } from '../gateways/binding.ts';
import { noGateway, noMount } from '../gateways/connection-states.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import type { Seal } from '../seal.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireTeamSlot } from '../teams/team-slot.ts';
import { removeWhatFailedLeft } from '../transfers/change.ts';
import { endTransfersOfGatewayConnection } from '../transfers/gateway-transfers.ts';
import { formatDateTime } from '../wire-times.ts';
import { changedAuthorization, newAuthorization, openIfPossible, sealAuthorization } from './authorization.ts';
import { checkEventStream } from './check-events.ts';
import { withExternalId } from './external-id.ts';
import { browseStorage, listFiles } from './files.ts';
import { forgetSecrets } from './forget-secrets.ts';
import { checkConnectionRules } from './rules.ts';
import { validate } from './validate.ts';

type ConnectionRow = Selectable<Database['cloud_connections']>;

const toConnection = (row: ConnectionRow, seal: Seal): Connection => ({
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
  ...externalIdOf(row, seal),
  created_at: formatDateTime(row.created_at),
  updated_at: formatDateTime(row.updated_at),
});

/** The one field of `authorization` that is shown: without it nobody can write the role's trust policy. */
function externalIdOf(row: ConnectionRow, seal: Seal): { external_id?: string } {
  if (row.provider !== 'amazon_s3') return {};
  const { role_arn, external_id } = openIfPossible(seal, row) ?? {};
  return role_arn === undefined || external_id === undefined ? {} : { external_id };
}

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

/** Runs what waits for a Team's storage, so that a few such requests do not hold up all others. */
async function waitingForCloud<T>({ cloudPermits }: Context<Actor>, teamId: string, work: () => Promise<T>): Promise<T> {
  const release = cloudPermits.acquire(teamId);
  try {
    return await work();
  } finally {
    release();
  }
}

/** Cloud connections: contract/connections.md §3 to §6. */
export const connectionHandlers: HandlersOf<
  | 'createConnection'
  | 'listConnections'
  | 'getConnection'
  | 'updateConnection'
  | 'deleteConnection'
  | 'listConnectionFiles'
  | 'browseStorage'
  | 'validateConnection'
  | 'streamConnectionCheck'
> = {
  createConnection: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    async ({ params, body }, context, { userId }) => {
      const { db, now, seal } = context;
      const provider = providers[body.provider];
      const direction = body.direction ?? 'service_to_cloud';
      const authorization = newAuthorization(body.provider, direction, body.authorization);
      checkConnectionRules(body, direction);
      if (body.storage_gateway_id !== undefined) await requireGateway(db, params.team_id, body.storage_gateway_id);
      const id = newId();
      const row = await inTransaction(db, async (trx) => {
        await requireTeamSlot(trx, params.team_id, {
          table: 'cloud_connections',
          most: limits.connectionsPerTeam,
          detail: `A Team has at most ${limits.connectionsPerTeam} connections. Delete one that is not used.`,
        });
        return await trx
          .insertInto('cloud_connections')
          .values({
            id,
            team_id: params.team_id,
            created_by: userId,
            name: body.name ?? provider.label,
            provider: body.provider,
            direction,
            ...(provider.gateway && (body.storage_gateway_id === undefined ? noGateway : noMount)),
            sealed_authorization: sealAuthorization(seal, id, await withExternalId(trx, params.team_id, authorization, now())),
            target_directory_id: body.target_directory_id ?? '',
            source_directory_ids: body.source_directory_ids ?? [],
            upload_transfer_manifest: body.upload_transfer_manifest ?? false,
            storage_gateway_id: body.storage_gateway_id ?? null,
            created_at: now(),
            updated_at: now(),
            deleted_at: null,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return toConnection(row, seal);
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
    return rows.map((row) => toConnection(row, context.seal));
  },

  async getConnection({ params }, context) {
    return toConnection(await connectionOf(context, params.connection_id), context.seal);
  },

  async updateConnection({ params, body }, context) {
    const { db, now, seal } = context;
    const { id, team_id, provider, direction } = await connectionOf(context, params.connection_id);
    const { storage_gateway_id: gatewayId, authorization: _, ...changes } = body;
    checkConnectionRules({ ...changes, provider, authorization: {} }, direction);
    return await inTransaction(db, async (trx) => {
      // Before the connection, as whoever removes the gateway locks them.
      if (gatewayId !== undefined) await requireGateway(trx, team_id, gatewayId);
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
      const authorization =
        sent &&
        (await withExternalId(
          trx,
          row.team_id,
          changedAuthorization(row.provider, row.direction, openIfPossible(seal, row) ?? {}, sent),
          now(),
        ));
      const changed = await trx
        .updateTable('cloud_connections')
        .set({
          updated_at: now(),
          ...(body.name !== undefined && { name: body.name }),
          ...(body.target_directory_id !== undefined && { target_directory_id: body.target_directory_id }),
          ...(body.source_directory_ids !== undefined && { source_directory_ids: body.source_directory_ids }),
          ...(body.upload_transfer_manifest !== undefined && { upload_transfer_manifest: body.upload_transfer_manifest }),
          ...(authorization && {
            sealed_authorization: sealAuthorization(seal, id, authorization),
            // The error was about the old credentials; the new ones are tried at their first use.
            ...(row.state === 'error' && { state: 'ok' as const, state_message: '' }),
          }),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (gatewayId === undefined || gatewayId === row.storage_gateway_id) return toConnection(changed, seal);
      return toConnection(await bindToGateway(trx, changed, gatewayId), seal);
    });
  },

  async deleteConnection({ params }, context) {
    const { db, jobs, now } = context;
    const { id, provider } = await connectionOf(context, params.connection_id);
    await inTransaction(db, async (trx) => {
      // The row is kept for transfers in progress. Portals attach under a share lock on it, so none can attach in
      // between.
      await trx.updateTable('cloud_connections').set({ deleted_at: now() }).where('id', '=', id).where('deleted_at', 'is', null).execute();
      await trx.deleteFrom('portal_connections').where('connection_id', '=', id).execute();
      if (providers[provider].gateway) await endTransfersOfGatewayConnection(trx, context, id);
      else await removeWhatFailedLeft(trx, jobs, id);
      await forgetSecrets(trx, id);
    });
  },

  async listConnectionFiles({ params, query }, context) {
    const row = await connectionOf(context, params.connection_id);
    return await waitingForCloud(context, row.team_id, () => listFiles(row, query, context));
  },

  async browseStorage({ params, body }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'integrations.manage');
    return await waitingForCloud(context, teamId, () => browseStorage(teamId, body, context));
  },

  async validateConnection({ params }, context) {
    const row = await connectionOf(context, params.connection_id);
    return await waitingForCloud(context, row.team_id, () => validate(row, context));
  },

  async streamConnectionCheck({ params }, context) {
    const row = await connectionOf(context, params.connection_id);
    // Refused before the answer begins.
    const release = context.cloudPermits.acquire(row.team_id);
    return checkEventStream((tell) =>
      validate(row, context, (folder, step, result) =>
        tell(result ? { type: 'step_ended', folder, ...result } : { type: 'step_began', folder, step }),
      ).finally(release),
    );
  },
};
