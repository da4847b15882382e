import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { tellWhyTheyWait } from '../gateways/connection-states.ts';
import { isByGateway } from '../gateways/providers.ts';
import { wakeGatewaysOf } from '../gateways/wakeups.ts';
import type { Services } from '../handler.ts';
import type { Jobs } from '../jobs/ports.ts';
import { takeFromGateways } from './gateway-transfers.ts';
import { requireDeliverable, requireUnfinished } from './start.ts';
import { transition } from './state-machine.ts';

type Changing = Pick<Services, 'db' | 'jobs' | 'now'>;
type TransferCredential = Pick<CredentialOf<'transfer'>, 'transferId' | 'packageId'>;

async function lockTransfer({ db }: Changing, transferId: string) {
  const row = await db.selectFrom('cloud_transfers').selectAll().where('id', '=', transferId).forUpdate().executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'transfer' });
  return row;
}

/** Shares the connection of a transfer for the rest of the transaction; undefined where it has none. */
const lockConnectionOf = (db: Kysely<Database>, transferId: string) =>
  db
    .selectFrom('cloud_connections')
    .select(['id', 'deleted_at'])
    .where('id', '=', (of) => of.selectFrom('cloud_transfers').select('cloud_connection_id').where('id', '=', transferId))
    .forShare()
    .executeTakeFirst();

const refuse = (detail: string): ApiError => new ApiError('state_conflict', { detail });

/** Takes a transfer up again that failed or was cancelled, within a transaction (contract/transfers.md §2). */
export async function retryTransfer(context: Changing, { transferId, packageId }: TransferCredential): Promise<void> {
  const { db, jobs, now } = context;
  // Packages are locked before their transfers everywhere.
  const owner = await db.selectFrom('packages').select(['state', 'expiry']).where('id', '=', packageId).forShare().executeTakeFirst();
  // So are connections, so that one which is deleted meanwhile is either seen here, or finds the transfer under way.
  const connection = await lockConnectionOf(db, transferId);
  const row = await lockTransfer(context, transferId);
  const move = transition(row.state, 'retry');
  if (move.outcome === 'refused') throw refuse(move.detail);
  if (!owner) throw new ApiError('not_found', { resource: 'transfer' });
  if (row.direction === 'cloud_to_service') requireUnfinished(owner);
  else requireDeliverable(owner, now());
  if (!connection) throw refuse('The credentials of this transfer were for one use, and are forgotten. Start a new one.');
  if (connection.deleted_at) throw refuse('The connection of this transfer was deleted. Start a new one with another connection.');
  await db
    .updateTable('cloud_transfers')
    .set({
      state: 'pending',
      message: '',
      failures: 0,
      // While something is still being removed, it waits for the end of that.
      ...(row.lease_id === null && { due_at: sql<Date>`clock_timestamp()` }),
      updated_at: now(),
    })
    .where('id', '=', transferId)
    .execute();
  await jobs.add(db, 'transfers.run', {});
  if (!isByGateway(row.provider)) return;
  await tellWhyTheyWait(db, [transferId]);
  await wakeGatewaysOf(db, [connection.id]);
}

/** Cancels a transfer that is not over, within a transaction. What it has begun is removed by the process that works on it. */
export async function cancelTransfer(context: Changing, { transferId }: Pick<TransferCredential, 'transferId'>): Promise<void> {
  const { db, jobs, now } = context;
  const row = await lockTransfer(context, transferId);
  const move = transition(row.state, 'cancel');
  if (move.outcome === 'refused') throw refuse(move.detail);
  if (isByGateway(row.provider)) return await takeFromGateways(db, { jobs, now }, [transferId], '');
  const begun = row.planned;
  await db
    .updateTable('cloud_transfers')
    .set({
      state: 'cancelled',
      message: '',
      cleanup: begun,
      ...(!begun && row.lease_id === null && { due_at: null, sealed_authorization: null }),
      ...(begun && row.lease_id === null && { due_at: sql<Date>`clock_timestamp()` }),
      updated_at: now(),
    })
    .where('id', '=', transferId)
    .execute();
  if (begun && row.lease_id === null) await jobs.add(db, 'transfers.run', {});
}

/** Has removed what failed deliveries of a connection left at its provider for a retry, which there cannot be any more. */
export async function removeWhatFailedLeft(db: Kysely<Database>, jobs: Jobs, connectionId: string): Promise<void> {
  const left = await db
    .updateTable('cloud_transfers')
    .set({ cleanup: true, due_at: sql<Date>`clock_timestamp()` })
    .where('cloud_connection_id', '=', connectionId)
    .where('direction', '=', 'service_to_cloud')
    .where('state', '=', 'error')
    .where('folder', 'is not', null)
    .where('due_at', 'is', null)
    .returning('id')
    .execute();
  if (left.length > 0) await jobs.add(db, 'transfers.run', {});
}
