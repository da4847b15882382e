import { type Kysely, sql } from 'kysely';
import type { MountReport } from '#protocol/hosted/gateways.ts';
import { printable } from '#protocol/printable.ts';
import type { ConnectionState } from '../connections/state.ts';
import type { Database } from '../database/schema/database.ts';
import { gatewayProviders } from './providers.ts';

/**
 * The states of connections that gateways reach (contract/gateways.md §2), and what that means for the transfers that wait:
 * they say why. Each function runs in a transaction.
 */

export const noGateway: ConnectionState = { state: 'offline', state_message: 'No storage gateway is connected to it.' };

export const noMount: ConnectionState = {
  state: 'offline',
  state_message: 'Its storage gateway has no folder for it. Add one there, by its page or by "longshore mount add".',
};

const silent: ConnectionState = {
  state: 'offline',
  state_message: 'Its storage gateway does not answer. See that its machine is on, has a network, and runs the agent.',
};

/** Keeps what a gateway says of its connections; what it says of others is left out of account. The ids of those that it reaches. */
export async function recordMounts(trx: Kysely<Database>, gatewayId: string, mounts: readonly MountReport[]): Promise<readonly string[]> {
  const reports = new Map(mounts.map((mount) => [mount.cloud_connection_id, mount]));
  const connections = await trx
    .selectFrom('cloud_connections')
    .select(['id', 'state', 'state_message'])
    .where('storage_gateway_id', '=', gatewayId)
    .where('deleted_at', 'is', null)
    .execute();
  const changed = new Map<string, { readonly state: ConnectionState; readonly ids: string[] }>();
  for (const { id, ...before } of connections) {
    const state = stateOf(reports.get(id));
    if (state.state === before.state && state.state_message === before.state_message) continue;
    const key = `${state.state} ${state.state_message}`;
    const known = changed.get(key) ?? { state, ids: [] };
    changed.set(key, known);
    known.ids.push(id);
  }
  for (const { state, ids } of changed.values()) await setStates(trx, ids, state);
  return connections.filter(({ id }) => stateOf(reports.get(id)).state === 'ok').map(({ id }) => id);
}

function stateOf(report: MountReport | undefined): ConnectionState {
  if (!report) return noMount;
  if (report.state === 'ok') return { state: 'ok', state_message: '' };
  return {
    state: 'offline',
    state_message: printable(report.reason.trim()) || 'Its folder cannot be reached. The storage gateway did not say why.',
  };
}

/** The connections of gateways that ask no more. */
export async function setSilent(trx: Kysely<Database>, gatewayIds: readonly string[]): Promise<void> {
  const rows = await trx
    .selectFrom('cloud_connections')
    .select('id')
    .where('storage_gateway_id', 'in', gatewayIds)
    .where('state', '=', 'ok')
    .execute();
  const ids = rows.map(({ id }) => id);
  await setStates(trx, ids, silent);
}

/** Transfers that nobody works on say why they wait. */
export async function setStates(trx: Kysely<Database>, connectionIds: readonly string[], state: ConnectionState): Promise<void> {
  if (connectionIds.length === 0) return;
  await trx.updateTable('cloud_connections').set(state).where('id', 'in', connectionIds).execute();
  await trx
    .updateTable('cloud_transfers')
    .set({ message: state.state_message })
    .where('cloud_connection_id', 'in', connectionIds)
    .where('due_at', 'is not', null)
    .where('state', '=', 'pending')
    .where('lease_id', 'is', null)
    .execute();
}

/** Transfers that were made or taken up again say why they wait, where their connection is offline: these reasons by their ids. */
export async function tellWhyTheyWait(trx: Kysely<Database>, transferIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; message: string }>`
    update cloud_transfers set message = cloud_connections.state_message from cloud_connections
    where cloud_transfers.id = any(${transferIds}::uuid[]) and cloud_connections.id = cloud_transfers.cloud_connection_id
      and cloud_connections.state = 'offline' and cloud_transfers.state = 'pending'
    returning cloud_transfers.id, cloud_transfers.message`.execute(trx);
  return new Map(rows.map(({ id, message }) => [id, message]));
}

/**
 * Takes transfers from gateways that do not work on them any more: the lease has lapsed, and the connection is offline. With
 * `connectionIds` those of these connections, lapsed or not: they have another gateway now, or none. The packages whose
 * transfers have changed.
 */
export async function releaseTransfers(trx: Kysely<Database>, connectionIds?: readonly string[]): Promise<readonly string[]> {
  const which =
    connectionIds === undefined
      ? sql`cloud_transfers.due_at < clock_timestamp() and cloud_connections.state = 'offline'`
      : sql`cloud_connections.id = any(${connectionIds}::uuid[])`;
  // One that is locked is just being told of: it is looked at again.
  const { rows } = await sql<{ package_id: string }>`
    with left_behind as (
      select cloud_transfers.id, cloud_connections.state_message from cloud_transfers
      join cloud_connections on cloud_connections.id = cloud_transfers.cloud_connection_id
      where cloud_connections.state = 'offline' and cloud_transfers.due_at is not null and cloud_transfers.lease_id is not null
        and cloud_transfers.state in ('pending', 'started') and not cloud_transfers.cleanup
        and cloud_transfers.provider = any(${gatewayProviders}::text[]) and ${which}
      for update of cloud_transfers ${connectionIds === undefined ? sql`skip locked` : sql``}
    )
    update cloud_transfers set state = 'pending', lease_id = null, due_at = clock_timestamp(), message = left_behind.state_message
    from left_behind where cloud_transfers.id = left_behind.id
    returning cloud_transfers.package_id`.execute(trx);
  return rows.map(({ package_id }) => package_id);
}
