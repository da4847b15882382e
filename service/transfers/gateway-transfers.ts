import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { wakeGatewaysOf } from '../gateways/wakeups.ts';
import type { Services } from '../handler.ts';

/**
 * Cancels transfers that storage gateways do, in the transaction `db`. Their tasks end with that, and a gateway that has one
 * learns of it at once; what it has left in its folder it removes itself. What it has added to a package without finishing it
 * is removed by a process of the service.
 */
export async function takeFromGateways(
  db: Kysely<Database>,
  { jobs, now }: Pick<Services, 'jobs' | 'now'>,
  transferIds: readonly string[],
  message: string,
): Promise<void> {
  const { rows } = await sql<{ connection: string; due: boolean }>`
    update cloud_transfers set
      state = 'cancelled',
      message = ${message},
      lease_id = null,
      cleanup = planned and direction = 'cloud_to_service',
      due_at = case when planned and direction = 'cloud_to_service' then clock_timestamp() end,
      updated_at = ${now()}::timestamptz
    where id = any(${transferIds}::uuid[]) and state in ('pending', 'started')
    returning cloud_connection_id as connection, due_at is not null as due`.execute(db);
  await wakeGatewaysOf(
    db,
    rows.map(({ connection }) => connection),
  );
  if (rows.some(({ due }) => due)) await jobs.add(db, 'transfers.run', {});
}

/** The transfers of a connection that was deleted end, since its gateway has no folder for it any more. */
export async function endTransfersOfGatewayConnection(
  db: Kysely<Database>,
  services: Pick<Services, 'jobs' | 'now'>,
  connectionId: string,
): Promise<void> {
  const rows = await db
    .selectFrom('cloud_transfers')
    .select('id')
    .where('cloud_connection_id', '=', connectionId)
    .where('due_at', 'is not', null)
    .where('state', 'in', ['pending', 'started'])
    .forUpdate()
    .execute();
  const ids = rows.map(({ id }) => id);
  await takeFromGateways(db, services, ids, 'Its connection was deleted.');
}
