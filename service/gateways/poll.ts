import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { GatewayTask, GatewayWork, MountReport } from '#protocol/hosted/gateways.ts';
import { limits } from '#protocol/limits.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import type { TransferRow } from '../transfers/record.ts';
import { putDown } from '../transfers/settle.ts';
import { type ClaimedRequest, claimRequests, claimTransfers, nextDue, renewTasks, tasksOf } from './claim.ts';
import { recordMounts } from './connection-states.ts';
import type { WaitingPoll } from './ports.ts';
import { countedRecord } from './record.ts';
import { requestTask, transferTask } from './tasks.ts';
import { replacePoll } from './wakeups.ts';

type Polling = Context<CredentialOf<'gateway'>>;

const nothing: GatewayWork = { tasks: [], cancelled: [] };

const onlineFor = (seconds: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${seconds + limits.gatewayGraceSeconds})`;

/** A gateway's long poll (contract/gateways.md §3): one wake-up where there is nothing to do, and at once where there is. */
export const pollStorageGateway: HandlersOf<'pollStorageGateway'>['pollStorageGateway'] = async ({ body }, context) => {
  const { gatewayId } = context.credential;
  const until = performance.now() + body.wait * 1_000;
  const gone = context.disconnection();
  const poll = context.gateways.begin(gatewayId, newId());
  try {
    const reached = await beginPoll(context, poll, body.mounts, body.wait);
    // Whether leases are renewed or looked at: both say which tasks are this gateway's.
    let tasksHeld: typeof tasksOf = renewTasks;
    for (;;) {
      const work = await claimWork(context, reached, body.renew ?? [], tasksHeld);
      tasksHeld = tasksOf;
      const tasks = await makeTasks(context, work, gone);
      if (tasks.length > 0 || work.cancelled.length > 0) return { tasks, cancelled: work.cancelled };
      const left = until - performance.now();
      if (left <= 0 || poll.over.aborted || gone.aborted) return nothing;
      await poll.wait(Math.min(left, work.dueIn ?? left), gone);
    }
  } finally {
    poll.end();
    await endPoll(context, poll);
  }
};

/** Keeps that the gateway is there, and what it reaches: the ids of these connections. */
async function beginPoll(context: Polling, poll: WaitingPoll, mounts: readonly MountReport[], wait: number): Promise<readonly string[]> {
  const { gatewayId } = context.credential;
  return await context.db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ other: string | null }>`
      update storage_gateways set poll_id = ${poll.id}, online_until = ${onlineFor(wait)}, last_seen_at = clock_timestamp()
      from (select id, poll_id from storage_gateways where id = ${gatewayId} for no key update) as before
      where storage_gateways.id = before.id
      returning before.poll_id as other`.execute(trx);
    if (!rows[0]) throw removed();
    const reached = await recordMounts(trx, gatewayId, mounts);
    if (rows[0].other !== null) await replacePoll(trx, rows[0].other);
    return reached;
  });
}

/** From now on the gateway has a moment to ask again; unless it has done so already. */
async function endPoll({ db, credential }: Polling, poll: WaitingPoll): Promise<void> {
  await db
    .updateTable('storage_gateways')
    .set({ poll_id: null, online_until: onlineFor(0) })
    .where('id', '=', credential.gatewayId)
    .where('poll_id', '=', poll.id)
    .execute();
}

interface ClaimedWork {
  readonly transfers: readonly TransferRow[];
  readonly requests: readonly ClaimedRequest[];
  readonly cancelled: string[];
  /** Milliseconds until there may be more without anybody telling; null: never. */
  readonly dueIn: number | null;
}

async function claimWork(
  context: Polling,
  reached: readonly string[],
  renew: readonly string[],
  held: typeof tasksOf,
): Promise<ClaimedWork> {
  const { db, credential, transfers: queue } = context;
  return await db.transaction().execute(async (trx) => {
    const ids = await connectionsOf(trx, credential.gatewayId, reached);
    const kept = await held(trx, credential.gatewayId, renew.filter(isId));
    const cancelled = renew.filter((id) => !kept.has(id));
    const transfers = await claimTransfers(trx, ids, queue.perConnection);
    const requests = await claimRequests(trx, credential.gatewayId);
    return { transfers, requests, cancelled, dueIn: await nextDue(trx, ids, renew.filter(isId)) };
  });
}

/** Of the connections that it reaches those that are still this gateway's, which is locked so that it claims once at a time. */
async function connectionsOf(trx: Kysely<Database>, gatewayId: string, reached: readonly string[]): Promise<readonly string[]> {
  const gateway = await trx.selectFrom('storage_gateways').select('id').where('id', '=', gatewayId).forNoKeyUpdate().executeTakeFirst();
  if (!gateway) throw removed();
  if (reached.length === 0) return [];
  const rows = await trx
    .selectFrom('cloud_connections')
    .select('id')
    .where('storage_gateway_id', '=', gatewayId)
    .where('deleted_at', 'is', null)
    .where('state', '=', 'ok')
    .where('id', 'in', reached)
    .execute();
  return rows.map(({ id }) => id);
}

/** Whoever has left gets no task: what was claimed for it is put down at once. */
async function makeTasks(context: Polling, { transfers, requests }: ClaimedWork, gone: AbortSignal): Promise<GatewayTask[]> {
  const tasks: GatewayTask[] = requests.map(requestTask);
  const parts = { ...context, record: countedRecord(context) };
  try {
    for (const row of transfers) {
      gone.throwIfAborted();
      const task = await transferTask(parts, row, gone);
      context.events.changed(row.package_id);
      if (task) tasks.push(task);
    }
    gone.throwIfAborted();
    return tasks;
  } catch (error) {
    for (const { id, lease_id } of transfers) await putDown(context.db, { transferId: id, leaseId: lease_id! });
    throw error;
  }
}

const removed = (): ApiError => new ApiError('credential_invalid', { header: 'X-Gateway-Token' });
