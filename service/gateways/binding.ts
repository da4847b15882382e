import type { Kysely, Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { isId } from '../ids.ts';
import { noMount, releaseTransfers, setStates } from './connection-states.ts';
import { wakeGateway } from './wakeups.ts';

/**
 * The gateway that a connection names, of its own Team; locked until the transaction `trx` ends, so that it is not removed
 * meanwhile. Errors: `not_found`.
 */
export async function requireGateway(trx: Kysely<Database>, teamId: string, gatewayId: string): Promise<void> {
  const row = isId(gatewayId)
    ? await trx
        .selectFrom('storage_gateways')
        .select('id')
        .where('id', '=', gatewayId)
        .where('team_id', '=', teamId)
        .forKeyShare()
        .executeTakeFirst()
    : undefined;
  if (!row) throw new ApiError('not_found', { resource: 'storage gateway of this Team (storage_gateway_id)' });
}

/** Gives a connection to another gateway, which has yet to say that it reaches it. Its transfers wait for that. */
export async function bindToGateway(
  trx: Kysely<Database>,
  connection: Selectable<Database['cloud_connections']>,
  gatewayId: string,
): Promise<Selectable<Database['cloud_connections']>> {
  const { id, storage_gateway_id: before } = connection;
  await trx.updateTable('cloud_connections').set({ storage_gateway_id: gatewayId }).where('id', '=', id).execute();
  await setStates(trx, [id], noMount);
  await releaseTransfers(trx, [id]);
  if (before !== null) await wakeGateway(trx, before);
  return { ...connection, storage_gateway_id: gatewayId, ...noMount };
}
