import { type Selectable, sql } from 'kysely';
import { limits } from '#protocol/limits.ts';
import { recordAudit } from '../audit/record.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireTeamSlot } from '../teams/team-slot.ts';
import { formatDateTime } from '../wire-times.ts';
import { noGateway, releaseTransfers, setStates } from './connection-states.ts';
import { wakeAsker, wakeGateway } from './wakeups.ts';

type GatewayRow = Selectable<Database['storage_gateways']>;

const toGateway = ({ id, name, platform, version, last_seen_at, created_at }: GatewayRow, online: boolean) => ({
  id,
  name,
  platform,
  version,
  state: online ? ('online' as const) : ('offline' as const),
  last_seen_at: formatDateTime(last_seen_at),
  created_at: formatDateTime(created_at),
});

/** Whether the gateway of the current row asks for work. */
export const isOnline = sql<boolean>`coalesce(online_until > clock_timestamp(), false)`;

async function removeGateway(
  context: Context<Actor>,
  { id: gatewayId, name, team_id: teamId }: Pick<GatewayRow, 'id' | 'name' | 'team_id'>,
) {
  const { db, events } = context;
  const released = await inTransaction(db, async (trx) => {
    // Locked first, as by a poll.
    await trx.selectFrom('storage_gateways').select('id').where('id', '=', gatewayId).forUpdate().execute();
    const connections = await trx.selectFrom('cloud_connections').select('id').where('storage_gateway_id', '=', gatewayId).execute();
    const ids = connections.map(({ id }) => id);
    await setStates(trx, ids, noGateway);
    const packageIds = await releaseTransfers(trx, ids);
    const asked = await trx.deleteFrom('gateway_requests').where('storage_gateway_id', '=', gatewayId).returning('id').execute();
    await trx.deleteFrom('storage_gateways').where('id', '=', gatewayId).execute();
    await recordAudit(trx, context, teamId, { action: 'gateway.deleted', target: { kind: 'gateway', id: gatewayId, name } });
    await wakeGateway(trx, gatewayId);
    for (const { id } of asked) await wakeAsker(trx, id);
    return packageIds;
  });
  for (const packageId of released) events.changed(packageId);
}

/** Storage gateways of a Team: contract/gateways.md §1. */
export const registrationHandlers: HandlersOf<'createStorageGateway' | 'listStorageGateways' | 'deleteStorageGateway'> = {
  createStorageGateway: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    async ({ params, body }, { db, now, tokens }, { userId }) => {
      const { name, platform, version } = body;
      const row = await inTransaction(db, async (trx) => {
        await requireTeamSlot(trx, params.team_id, {
          table: 'storage_gateways',
          most: limits.gatewaysPerTeam,
          detail: `A Team has at most ${limits.gatewaysPerTeam} storage gateways. Remove one that is not used.`,
        });
        return await trx
          .insertInto('storage_gateways')
          .values({ id: newId(), team_id: params.team_id, created_by: userId, name, platform, version, created_at: now() })
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return { ...toGateway(row, false), access_token: await tokens.sign('gateway', { gatewayId: row.id }) };
    },
  ),

  async listStorageGateways({ params }, context) {
    await teamAccess(context, params.team_id, 'integrations.manage');
    const rows = await context.db
      .selectFrom('storage_gateways')
      .selectAll()
      .select(isOnline.as('online'))
      .where('team_id', '=', params.team_id)
      .orderBy('id')
      .execute();
    return rows.map(({ online, ...row }) => toGateway(row, online));
  },

  async deleteStorageGateway({ params }, context) {
    const { db, credentials } = context;
    const row = await db
      .selectFrom('storage_gateways')
      .select(['id', 'name', 'team_id'])
      .where('id', '=', params.storage_gateway_id)
      .executeTakeFirst();
    await resourceAccess(context, 'storage gateway', row?.team_id, 'integrations.manage');
    await removeGateway(context, row!);
    credentials.invalidateGateway(row!.id);
  },
};
