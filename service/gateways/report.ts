import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { TransferReport } from '#protocol/hosted/gateways.ts';
import type { CloudTransferState, RenamedFile } from '#protocol/hosted/transfers.ts';
import { printable } from '#protocol/printable.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { GatewayIncompleteError, GatewayTaskError } from '../transfers/gateway-error.ts';
import type { Lease, TransferProgress } from '../transfers/lease.ts';
import type { TransferRow } from '../transfers/record.ts';
import { type Settling, settleComplete, settleFailure } from '../transfers/settle.ts';
import { transition } from '../transfers/state-machine.ts';
import { formatDateTime } from '../wire-times.ts';
import { leaseEnd } from './claim.ts';
import { missingOf } from './completeness.ts';
import { countedRecord } from './record.ts';
import { wakeGatewaysOf } from './wakeups.ts';

type ReportReply = { state: CloudTransferState; leased_until: string };

const over = (state: CloudTransferState): ReportReply => ({ state, leased_until: unsetDateTime });

/** How a gateway's task goes (contract/gateways.md §5): the transfer follows it by the same rules as with clouds. */
export const reportTransfer: HandlersOf<'reportTransfer'>['reportTransfer'] = async ({ body }, context) => {
  const { credential, events } = context;
  const parts = { db: context.db, now: context.now, record: countedRecord(context) };
  const { reply, arrived, missing } = await inTransaction(context.db, async (db) => {
    const row = await db.selectFrom('cloud_transfers').selectAll().where('id', '=', credential.transferId).forUpdate().executeTakeFirst();
    if (!row) throw new ApiError('not_found', { resource: 'transfer' });
    if (row.lease_id !== credential.taskId || body.task_id !== credential.taskId)
      return { reply: answerAgain(row, body), arrived: 0, missing: null };
    const begun = await follow({ ...parts, db }, row, body);
    const settled = await settle({ ...parts, db }, begun, body);
    return { ...settled, arrived: Number(begun.bytes) - Number(row.bytes) };
  });
  context.transfers.countBytes(arrived);
  events.changed(credential.packageId);
  // After the attempt is settled: what is thrown in a transaction undoes it.
  if (missing !== null) throw new ApiError('state_conflict', { detail: missing });
  return reply;
};

/** An answer that was lost is given again. Everything else about a task that is not the gateway's any more is refused. */
function answerAgain({ state }: TransferRow, body: TransferReport): ReportReply {
  if (state === body.state && (state === 'complete' || state === 'error')) return over(state);
  const why = state === 'cancelled' ? 'The transfer was cancelled.' : 'This task is not yours any more.';
  throw new ApiError('state_conflict', { detail: `${why} Put it down, and remove what is unfinished of it.` });
}

/** Renews the lease, and keeps what has arrived, which never goes back. */
async function follow({ db, now }: Settling, row: TransferRow, { state, progress, error }: TransferReport): Promise<TransferRow> {
  const move = transition(row.state, state === 'waiting' ? 'postpone' : 'start');
  // A delivery has the package's totals. What is collected is known to the gateway alone.
  const isDelivery = row.direction === 'service_to_cloud';
  const total = isDelivery
    ? { files: row.total_files, bytes: Number(row.total_bytes) }
    : { files: Math.max(row.total_files, progress.total_files), bytes: Math.max(Number(row.total_bytes), progress.total_bytes) };
  const done = {
    files: Math.max(row.files, Math.min(progress.files, total.files)),
    bytes: Math.max(Number(row.bytes), Math.min(progress.bytes, total.bytes)),
  };
  const progressed = done.files > row.files || done.bytes > Number(row.bytes);
  const message = state === 'waiting' ? printable(error ?? 'The storage gateway waits, and did not say for what.') : '';
  return await db
    .updateTable('cloud_transfers')
    .set({
      due_at: leaseEnd,
      ...done,
      total_files: total.files,
      total_bytes: total.bytes,
      ...(progressed && { failures: 0 }),
      ...(move.outcome === 'moves' && { state: move.to }),
      message,
      ...((progressed || move.outcome === 'moves' || message !== row.message) && { updated_at: now() }),
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * What ends makes room for the next transfer of its connection, so its gateway looks. `missing`: why it is not complete,
 * although the gateway says so; that is a failed attempt.
 */
async function settle(
  parts: Settling,
  row: TransferRow,
  { state, progress, error, renamed = [], renamed_total }: TransferReport,
): Promise<{ readonly reply: ReportReply; readonly missing: string | null }> {
  const lease: Lease = { transferId: row.id, leaseId: row.lease_id! };
  const done: TransferProgress = { files: row.files, bytes: Number(row.bytes) };
  switch (state) {
    case 'started':
    case 'waiting':
      return { reply: { state: row.state, leased_until: formatDateTime(row.due_at) }, missing: null };
    case 'error': {
      const why = error ?? 'The storage gateway gave up, and did not say why. See its log.';
      await settleFailure(parts, lease, new GatewayTaskError(why), { progressed: true, done });
      await wakeGatewaysOf(parts.db, [row.cloud_connection_id!]);
      return { reply: over('error'), missing: null };
    }
    case 'complete': {
      const missing = await missingOf(parts.db, row, progress);
      if (missing !== null) {
        await settleFailure(parts, lease, new GatewayIncompleteError(missing), { progressed: false, done });
        await wakeGatewaysOf(parts.db, [row.cloud_connection_id!]);
        return { reply: over('pending'), missing };
      }
      const all = row.direction === 'service_to_cloud' ? { files: row.total_files, bytes: Number(row.total_bytes) } : done;
      if (renamed.length > 0) await keepRenamed(parts.db, row.id, renamed);
      await settleComplete(parts, lease, renamedMessage(Math.max(renamed.length, renamed_total ?? 0)), all);
      if (row.direction === 'cloud_to_service') await forgetGatewayFiles(parts.db, row.id);
      await wakeGatewaysOf(parts.db, [row.cloud_connection_id!]);
      return { reply: over('complete'), missing: null };
    }
  }
}

function renamedMessage(count: number): string {
  if (count === 0) return '';
  return `${count === 1 ? 'A file has' : `${count} files have`} another name there, since the disk cannot hold the one in the package.`;
}

async function keepRenamed(db: Kysely<Database>, transferId: string, renamed: readonly RenamedFile[]): Promise<void> {
  await db
    .updateTable('cloud_transfers')
    .set({ renamed: JSON.stringify(renamed) })
    .where('id', '=', transferId)
    .execute();
}

async function forgetGatewayFiles(db: Kysely<Database>, transferId: string): Promise<void> {
  await sql`delete from gateway_files where transfer_id = ${transferId}`.execute(db);
}
