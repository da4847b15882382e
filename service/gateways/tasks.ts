import { type Kysely, sql } from 'kysely';
import type { GatewayTask } from '#protocol/hosted/gateways.ts';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';
import { GatewayTaskError } from '../transfers/gateway-error.ts';
import { packagePaths } from '../transfers/import/names.ts';
import { landingFolder } from '../transfers/landing.ts';
import { type Lease, LeaseLostError } from '../transfers/lease.ts';
import { planTransfer } from '../transfers/plan.ts';
import type { TransferRow } from '../transfers/record.ts';
import { leftTooOften, type Settling, settleComplete, settleFailure } from '../transfers/settle.ts';
import { formatDateTime } from '../wire-times.ts';
import { type ClaimedRequest, leaseEnd } from './claim.ts';

export interface TaskParts extends Pick<Services, 'db' | 'now' | 'tokens'> {
  readonly record: Settling['record'];
}

/**
 * The task of a transfer that a gateway has claimed; null if there is nothing to do, since the transfer is over with that, or
 * is another's. Rejects with the signal's reason.
 */
export async function transferTask(parts: TaskParts, claimed: TransferRow, signal: AbortSignal): Promise<GatewayTask | null> {
  const lease: Lease = { transferId: claimed.id, leaseId: claimed.lease_id! };
  try {
    if (leftTooOften(claimed)) {
      const error = new GatewayTaskError(
        'The storage gateway began this transfer again and again, and nothing of it arrived. See its log.',
      );
      await settleFailure(parts, lease, error, { progressed: false, done: { files: claimed.files, bytes: Number(claimed.bytes) } });
      return null;
    }
    const row = await planned(parts, claimed, lease, signal);
    if (row.direction === 'service_to_cloud' && row.total_files === 0) {
      const none = row.filter_rules === null ? 'The package holds no files.' : 'Its filter let none of the files through.';
      await settleComplete(parts, lease, none, { files: 0, bytes: 0 });
      return null;
    }
    // Planning a large package takes longer than a lease.
    const leasedUntil = row === claimed ? claimed.due_at : await renewed(parts.db, lease);
    if (leasedUntil === null) return null;
    const common = {
      id: lease.leaseId,
      cloud_connection_id: row.cloud_connection_id!,
      attempt: row.attempts,
      leased_until: formatDateTime(leasedUntil),
      transfer_id: row.id,
      transfer_token: await parts.tokens.sign('transfer', { transferId: row.id, packageId: row.package_id, taskId: lease.leaseId }),
      package_id: row.package_id,
    };
    return row.direction === 'service_to_cloud' ? await deliverTask(parts, row, common) : await collectTask(parts, row, common);
  } catch (error) {
    if (error instanceof LeaseLostError) return null;
    throw error;
  }
}

type Common = Omit<Extract<GatewayTask, { readonly kind: 'deliver' }>, 'kind' | 'read_token' | 'target_directory_id' | `total_${string}`>;

async function deliverTask(parts: TaskParts, row: TransferRow, common: Common): Promise<GatewayTask> {
  const names = await parts.db
    .selectFrom('packages')
    .leftJoin('portals', 'portals.id', 'packages.portal_id')
    .select(['packages.name', 'packages.sender', 'portals.name as portal'])
    .where('packages.id', '=', row.package_id)
    .executeTakeFirstOrThrow();
  const places = { portal: names.portal ?? '', package: names.name, sender: names.sender, date: row.created_at };
  return {
    ...common,
    kind: 'deliver',
    read_token: await packageToken(parts, row, 'read'),
    target_directory_id: landingFolder(row.target_directory_id, places, packagePaths),
    total_bytes: Number(row.total_bytes),
    total_files: row.total_files,
  };
}

async function collectTask(parts: TaskParts, row: TransferRow, common: Common): Promise<GatewayTask> {
  const { db } = parts;
  const items = await db
    .selectFrom('cloud_import_items')
    .select(['source as id', 'name', 'kind'])
    .where('transfer_id', '=', row.id)
    .orderBy('position')
    .execute();
  const connection = await db
    .selectFrom('cloud_connections')
    .select('source_directory_ids')
    .where('id', '=', row.cloud_connection_id)
    .executeTakeFirstOrThrow();
  return {
    ...common,
    kind: 'collect',
    write_token: await packageToken(parts, row, 'write'),
    files: items,
    source_directory_ids: connection.source_directory_ids,
  };
}

const packageToken = ({ tokens }: TaskParts, row: TransferRow, variant: 'read' | 'write'): Promise<string> =>
  tokens.sign('package', {
    packageId: row.package_id,
    variant,
    tokenId: newId(),
    linkId: null,
    userId: null,
    task: { taskId: row.lease_id!, transferId: row.id },
  });

/**
 * Before its first attempt a transfer is counted, and the event that it has begun happens, once. Which files a filter lets
 * through is written down; without one the package says it.
 */
async function planned(parts: TaskParts, row: TransferRow, lease: Lease, signal: AbortSignal): Promise<TransferRow> {
  if (row.planned) return row;
  if (row.direction === 'service_to_cloud' && row.filter_rules !== null) return await planTransfer(parts, lease, signal);
  return await parts.db.transaction().execute(async (trx) => {
    const total = await trx
      .selectFrom('files')
      .select([sql<string>`count(*)`.as('files'), sql<string>`coalesce(sum(size), 0)`.as('bytes')])
      .where('package_id', '=', row.package_id)
      .where('state', '=', 'finalized')
      .executeTakeFirstOrThrow();
    const begun = await trx
      .updateTable('cloud_transfers')
      .set({
        planned: true,
        ...(row.direction === 'service_to_cloud' && { total_files: Number(total.files), total_bytes: Number(total.bytes) }),
      })
      .where('id', '=', lease.transferId)
      .where('lease_id', '=', lease.leaseId)
      .returningAll()
      .executeTakeFirst();
    if (!begun) throw new LeaseLostError();
    await parts.record(trx, 'started', begun);
    return begun;
  });
}

async function renewed(db: Kysely<Database>, { transferId, leaseId }: Lease): Promise<Date | null> {
  const row = await db
    .updateTable('cloud_transfers')
    .set({ due_at: leaseEnd })
    .where('id', '=', transferId)
    .where('lease_id', '=', leaseId)
    .returning('due_at')
    .executeTakeFirst();
  return row?.due_at ?? null;
}

export const requestTask = ({ id, cloud_connection_id, request, attempts, leased_until }: ClaimedRequest): GatewayTask =>
  ({
    id,
    cloud_connection_id,
    attempt: attempts,
    leased_until: formatDateTime(leased_until),
    ...request,
    ...(request.kind === 'check' && { folders: [...request.folders] }),
  }) as GatewayTask;
