import { type Kysely, sql } from 'kysely';
import type { CloudTransferState } from '#protocol/hosted/transfers.ts';
import { plainArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import { gatewayProviders } from '../gateways/providers.ts';
import { newId } from '../ids.ts';
import type { TransferRow } from './record.ts';

/**
 * Who works on a transfer: a lease in its row, by the database's clock, since clocks of processes differ. pg-boss finds a dead
 * process by looking once a minute, and bounds a job's time; a transfer has to go on within 30 s, and may take days
 * (docs/decisions/0051).
 */

/** A process that does not renew for this long is taken for dead. */
export const leaseSeconds = 15;

export interface Lease {
  readonly transferId: string;
  readonly leaseId: string;
}

/** The lease is another process's now, or nobody's: whoever held it must not write any more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  readonly code = 'lease_lost';
  constructor() {
    super('Another process works on this transfer now.');
  }
}

export interface Claimed {
  readonly row: TransferRow;
  /** Whose package it moves. */
  readonly teamId: string;
  readonly lease: Lease;
}

const now = sql<Date>`clock_timestamp()`;
const afterSeconds = (seconds: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;

/** What the service itself does, and no gateway. */
const isOurs = sql`(cloud_transfers.cleanup or not cloud_transfers.provider = any(${gatewayProviders}::text[]))`;

/** What this process has room for. */
export interface Room {
  /** Of one connection, in all processes. */
  readonly perConnection: number;
  /** Whether one with single-use credentials has a place. */
  readonly singleUse: boolean;
  /** Teams that have as many places here as they may while other Teams could come. */
  readonly fullTeams: readonly string[];
}

/**
 * Takes on a transfer that is due and has room; null if there is none. The Team that has the fewest under way comes first, and
 * of its transfers the one that has been due longest: many of one Team do not hold up the first of another. What storage
 * gateways do is not among them, but for what is to be removed in the service. Claims are made one after the other, so that
 * two processes cannot both take a connection's last place. A transfer that was left behind counts as failed once more, so
 * that one which ends its process does not go on for ever.
 */
export async function claimTransfer(db: Kysely<Database>, { perConnection, singleUse, fullTeams }: Room): Promise<Claimed | null> {
  const leaseId = newId();
  const { rows } = await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('longshore cloud transfers'))`.execute(trx);
    return await sql<TransferRow & { readonly team_id: string }>`
      with busy as (
        select coalesce(cloud_connection_id::text, encode(destination, 'hex')) as place from cloud_transfers
        where due_at > ${now} and lease_id is not null
        group by 1 having count(*) >= ${perConnection}
      ), under_way as (
        select packages.team_id, count(*) as transfers from cloud_transfers
        join packages on packages.id = cloud_transfers.package_id
        where due_at > ${now} and lease_id is not null and ${isOurs}
        group by 1
      ), next as (
        select cloud_transfers.id, packages.team_id from cloud_transfers
        join packages on packages.id = cloud_transfers.package_id
        join teams on teams.id = packages.team_id
        left join under_way on under_way.team_id = packages.team_id
        where due_at <= ${now} and ${isOurs}
          and (${singleUse} or cloud_connection_id is not null) and (teams.state = 'active' or cloud_connection_id is null)
          and coalesce(cloud_connection_id::text, encode(destination, 'hex')) not in (select place from busy)
          and (packages.team_id <> all(${plainArray(fullTeams)}::uuid[])
            or not exists (select from teams as other where other.id <> packages.team_id and other.state = 'active'))
        order by coalesce(under_way.transfers, 0), due_at limit 1
        for update of cloud_transfers skip locked
      )
      update cloud_transfers set
        lease_id = ${leaseId}::uuid,
        due_at = ${afterSeconds(leaseSeconds)},
        failures = failures + case when lease_id is null then 0 else 1 end,
        attempts = attempts + case when cloud_transfers.state in ('pending', 'started') then 1 else 0 end,
        state = case when cloud_transfers.state = 'pending' then 'started' else cloud_transfers.state end,
        message = case when cloud_transfers.state in ('pending', 'started') then '' else message end
      from next where cloud_transfers.id = next.id
      returning cloud_transfers.*, next.team_id`.execute(trx);
  });
  const [found] = rows;
  if (!found) return null;
  const { team_id: teamId, ...row } = found;
  return { row, teamId, lease: { transferId: row.id, leaseId } };
}

/** Whether a transfer is due that `claimTransfer` may take on, if there is room for it. */
export async function isTransferDue(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists(select from cloud_transfers where due_at <= ${now} and ${isOurs}) as due`.execute(db);
  return rows[0]!.due;
}

/** What has arrived so far. `bytes` in bytes. */
export interface TransferProgress {
  readonly files: number;
  readonly bytes: number;
}

/** Keeps a lease, and the progress, which never goes back. The transfer's state now; null once the lease is lost. */
export async function renewLease(
  db: Kysely<Database>,
  { transferId, leaseId }: Lease,
  { files, bytes }: TransferProgress,
  at: Date,
): Promise<CloudTransferState | null> {
  const row = await db
    .updateTable('cloud_transfers')
    .set({
      due_at: afterSeconds(leaseSeconds),
      files: sql<number>`greatest(files, ${files})`,
      bytes: sql<number>`greatest(bytes, ${bytes})`,
      updated_at: sql<Date>`case when files < ${files} or bytes < ${bytes} then ${at}::timestamptz else updated_at end`,
    })
    .where('id', '=', transferId)
    .where('lease_id', '=', leaseId)
    .returning('state')
    .executeTakeFirst();
  return row?.state ?? null;
}

/** Locks the row of a transfer for the rest of the transaction `db`. Errors: `LeaseLostError`. */
export async function lockLeased(db: Kysely<Database>, { transferId, leaseId }: Lease): Promise<TransferRow> {
  const row = await db
    .selectFrom('cloud_transfers')
    .selectAll()
    .where('id', '=', transferId)
    .where('lease_id', '=', leaseId)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new LeaseLostError();
  return row;
}

/** The columns of a transfer that nobody works on: due after a pause, or never again. */
export const releasedUntil = (seconds: number | null) => ({ lease_id: null, due_at: seconds === null ? null : afterSeconds(seconds) });
