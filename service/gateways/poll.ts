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
import { type ClaimedRequest, claimRequests, claimTransfers, lookAhead, overOf, renewTasks, tasksOf } from './claim.ts';
import { recordMounts } from './connection-states.ts';
import type { WaitingPoll } from './ports.ts';
import { countedRecord } from './record.ts';
import { requestTask, transferTask } from './tasks.ts';
import { replacePoll, wakeGateway } from './wakeups.ts';

type Polling = Context<CredentialOf<'gateway'>>;

const nothing: GatewayWork = { tasks: [], cancelled: [] };

const onlineFor = (seconds: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${seconds + limits.gatewayGraceSeconds})`;

/** A gateway's long poll (contract/gateways.md §3): one wake-up where there is nothing to do, and at once where there is. */
export const pollStorageGateway: HandlersOf<'pollStorageGateway'>['pollStorageGateway'] = async ({ body }, context) => {
  const { gatewayId } = context.credential;
  const until = performance.now() + body.wait * 1_000;
  const gone = context.disconnection();
  const isLost = context.probePeer();
  const poll = context.gateways.begin(gatewayId, newId());
  const mine = { renew: body.renew ?? [], partial: body.partial ?? [] };
  try {
    let reached: readonly string[] = [];
    let work = await context.db.transaction().execute(async (trx) => {
      reached = await arrive(trx, gatewayId, poll, body.mounts, body.wait);
      return await claimWork(trx, context, reached, mine, renewTasks);
    });
    for (;;) {
      const tasks = await makeTasks(context, work, gone);
      if (tasks.length > 0 || work.cancelled.length > 0) return { tasks, cancelled: work.cancelled };
      // What was claimed and needed no gateway makes room for the next at once.
      if (work.transfers.length === 0) {
        const left = until - performance.now();
        if (left <= 0) return nothing;
        const woken = await poll.wait(Math.min(left, work.dueIn ?? left), gone);
        if (!woken && performance.now() >= until) return nothing;
      }
      // Whoever has come after it claims.
      if (poll.over.aborted || gone.aborted) return nothing;
      work = await context.db.transaction().execute(async (trx) => {
        const still = await connectionsOf(trx, gatewayId, reached);
        return await claimWork(trx, context, still, mine, tasksOf);
      });
    }
  } finally {
    poll.end();
    await endPoll(context, poll, isLost());
  }
};

/** Keeps that the gateway is there, and what it reaches: the ids of these connections. It is locked, so that it claims once at a time. */
async function arrive(
  trx: Kysely<Database>,
  gatewayId: string,
  poll: WaitingPoll,
  mounts: readonly MountReport[],
  wait: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ other: string | null }>`
    update storage_gateways set poll_id = ${poll.id}, online_until = ${onlineFor(wait)}, last_seen_at = clock_timestamp()
    from (select id, poll_id from storage_gateways where id = ${gatewayId} for no key update) as before
    where storage_gateways.id = before.id
    returning before.poll_id as other`.execute(trx);
  if (!rows[0]) throw removed();
  const reached = await recordMounts(trx, gatewayId, mounts);
  if (rows[0].other !== null) await replacePoll(trx, rows[0].other);
  return reached;
}

/**
 * From now on the gateway has a moment to ask again, unless it has done so already. One whose machine has answered nothing for
 * seconds has had it.
 */
async function endPoll({ db, credential }: Polling, poll: WaitingPoll, isLost: boolean): Promise<void> {
  await db
    .updateTable('storage_gateways')
    .set({ poll_id: null, online_until: isLost ? sql<Date>`clock_timestamp()` : onlineFor(0) })
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

/** `held` says which of `renew` are this gateway's, and renews their leases or not. `partial`: transfers that it has no task of. */
async function claimWork(
  trx: Kysely<Database>,
  { credential: { gatewayId }, transfers: queue }: Polling,
  connectionIds: readonly string[],
  { renew, partial }: { readonly renew: readonly string[]; readonly partial: readonly string[] },
  held: typeof tasksOf,
): Promise<ClaimedWork> {
  const ids = renew.filter(isId);
  const kept = await held(trx, gatewayId, ids);
  const { due, asked, dueIn } = await lookAhead(trx, gatewayId, connectionIds, ids);
  return {
    transfers: due ? await claimTransfers(trx, connectionIds, queue.perConnection) : [],
    requests: asked ? await claimRequests(trx, gatewayId) : [],
    cancelled: [...renew.filter((id) => !kept.has(id)), ...(await overOf(trx, gatewayId, partial))],
    dueIn,
  };
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
    // A newer poll may wait already.
    if (transfers.length > 0) await wakeGateway(context.db, context.credential.gatewayId);
    throw error;
  }
}

const removed = (): ApiError => new ApiError('credential_invalid', { header: 'X-Gateway-Token' });
