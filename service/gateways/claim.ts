import { type Kysely, sql } from 'kysely';
import { limits } from '#protocol/limits.ts';
import { plainArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import { isId } from '../ids.ts';
import type { TransferRow } from '../transfers/record.ts';
import type { GatewayRequest } from './ports.ts';

/** What a gateway takes on, by statements of one transaction. Times are the database's, as of all leases (transfers/lease.ts). */

/** Transfers in one answer. */
const transfersPerAnswer = 8;
const requestsPerAnswer = 8;

const now = sql<Date>`clock_timestamp()`;
export const leaseEnd = sql<Date>`clock_timestamp() + make_interval(secs => ${sql.lit(limits.gatewayLeaseSeconds)})`;

/**
 * Leases transfers that have been due longest, each with a lease of its own, `perConnection` of a connection at most. One that
 * was left behind counts as failed once more, as with clouds.
 */
export async function claimTransfers(
  trx: Kysely<Database>,
  connectionIds: readonly string[],
  perConnection: number,
): Promise<readonly TransferRow[]> {
  if (connectionIds.length === 0) return [];
  const { rows } = await sql<TransferRow>`
    with due as (
      select id, row_number() over (partition by cloud_connection_id order by due_at) as turn,
        ${perConnection} - (
          select count(*) from cloud_transfers as busy
          where busy.cloud_connection_id = waiting.cloud_connection_id and busy.due_at > ${now} and busy.lease_id is not null
        ) as room
      from cloud_transfers as waiting
      where cloud_connection_id = any(${plainArray(connectionIds)}::uuid[]) and due_at <= ${now}
        and state in ('pending', 'started') and not cleanup
    ), next as (
      select cloud_transfers.id from cloud_transfers join due on due.id = cloud_transfers.id
      where due.turn <= due.room and cloud_transfers.due_at <= ${now}
      order by cloud_transfers.due_at limit ${transfersPerAnswer}
      for update of cloud_transfers skip locked
    )
    update cloud_transfers set
      lease_id = gen_random_uuid(),
      due_at = ${leaseEnd},
      failures = failures + case when lease_id is null then 0 else 1 end,
      attempts = attempts + 1,
      state = 'started',
      message = ''
    from next where cloud_transfers.id = next.id
    returning cloud_transfers.*`.execute(trx);
  return rows;
}

export interface Outlook {
  /** Whether a transfer is due. It may have to wait for one of its connection to end. */
  readonly due: boolean;
  /** Whether somebody asks for something. */
  readonly asked: boolean;
  /** Milliseconds until the next transfer is due that is not among `held`; null: there is none. */
  readonly dueIn: number | null;
}

/** What there is for a gateway, by one statement: mostly nothing. */
export async function lookAhead(
  trx: Kysely<Database>,
  gatewayId: string,
  connectionIds: readonly string[],
  held: readonly string[],
): Promise<Outlook> {
  const { rows } = await sql<{ due: boolean | null; due_in: string | null; asked: boolean }>`
    select bool_or(due_at <= ${now}) as due,
      extract(epoch from min(due_at) filter (where due_at > ${now}) - ${now}) * 1000 as due_in,
      exists (
        select from gateway_requests
        where storage_gateway_id = ${gatewayId} and answer is null and (leased_until is null or leased_until <= ${now})
      ) as asked
    from cloud_transfers
    where cloud_connection_id = any(${plainArray(connectionIds)}::uuid[]) and due_at is not null
      and (lease_id is null or not lease_id = any(${plainArray(held)}::uuid[]))`.execute(trx);
  const { due, due_in, asked } = rows[0]!;
  return { due: due ?? false, asked, dueIn: due_in === null ? null : Math.max(0, Number(due_in)) };
}

export interface ClaimedRequest {
  readonly id: string;
  readonly cloud_connection_id: string;
  readonly request: GatewayRequest;
  readonly attempts: number;
  readonly leased_until: Date;
}

/** Leases what somebody waits for. */
export async function claimRequests(trx: Kysely<Database>, gatewayId: string): Promise<readonly ClaimedRequest[]> {
  const { rows } = await sql<ClaimedRequest>`
    with next as (
      select id from gateway_requests
      where storage_gateway_id = ${gatewayId} and answer is null and (leased_until is null or leased_until <= ${now})
      order by created_at limit ${requestsPerAnswer} for update skip locked
    )
    update gateway_requests set leased_until = ${leaseEnd}, attempts = attempts + 1
    from next where gateway_requests.id = next.id
    returning gateway_requests.*`.execute(trx);
  return rows;
}

/** Renews leases, also lapsed ones that nobody else has taken. Of `taskIds` those that are this gateway's. */
export async function renewTasks(trx: Kysely<Database>, gatewayId: string, taskIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (taskIds.length === 0) return new Set();
  const ids = plainArray(taskIds);
  const { rows } = await sql<{ id: string }>`
    with transfers as (
      update cloud_transfers set due_at = ${leaseEnd} from cloud_connections
      where cloud_connections.id = cloud_transfers.cloud_connection_id and cloud_connections.storage_gateway_id = ${gatewayId}
        and cloud_transfers.due_at is not null and cloud_transfers.lease_id = any(${ids}::uuid[])
      returning cloud_transfers.lease_id as id
    ), requests as (
      update gateway_requests set leased_until = ${leaseEnd}
      where storage_gateway_id = ${gatewayId} and id = any(${ids}::uuid[]) and answer is null
      returning id
    )
    select id from transfers union all select id from requests`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/** Of `transferIds` those that nobody takes up again by itself or by a retry, and those that are not this gateway's. */
export async function overOf(db: Kysely<Database>, gatewayId: string, transferIds: readonly string[]): Promise<readonly string[]> {
  if (transferIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select cloud_transfers.id from cloud_transfers
      join cloud_connections on cloud_connections.id = cloud_transfers.cloud_connection_id
      where cloud_connections.storage_gateway_id = ${gatewayId} and cloud_transfers.state in ('pending', 'started', 'error')
        and cloud_transfers.id = any(${plainArray(transferIds.filter(isId))}::uuid[])`.execute(db);
  const going = new Set(rows.map(({ id }) => id));
  return transferIds.filter((id) => !going.has(id));
}

/** Of `taskIds` those that are this gateway's. */
export async function tasksOf(db: Kysely<Database>, gatewayId: string, taskIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (taskIds.length === 0) return new Set();
  const ids = plainArray(taskIds);
  const { rows } = await sql<{ id: string }>`
    select cloud_transfers.lease_id as id from cloud_transfers
      join cloud_connections on cloud_connections.id = cloud_transfers.cloud_connection_id
      where cloud_connections.storage_gateway_id = ${gatewayId} and cloud_transfers.due_at is not null
        and cloud_transfers.lease_id = any(${ids}::uuid[])
    union all
    select id from gateway_requests where storage_gateway_id = ${gatewayId} and id = any(${ids}::uuid[]) and answer is null`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
