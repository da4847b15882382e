import type { Kysely, UpdateObject } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Jobs } from '../jobs/ports.ts';
import { type Lease, lockLeased, releasedUntil, type TransferProgress } from './lease.ts';
import { maxFailures, type Outcome, outcomeOf } from './outcome.ts';
import { forgetFiles } from './package-end.ts';
import type { TransferRow } from './record.ts';
import { transition } from './state-machine.ts';

/** How an attempt ended; what the row becomes then is decided under its lock, since it may have been cancelled meanwhile. */

export interface Settling {
  readonly db: Kysely<Database>;
  readonly now: () => Date;
  /** Records the event in the same transaction. */
  readonly record: (trx: Kysely<Database>, event: 'started' | 'complete' | 'error', row: TransferRow) => Promise<void>;
}

type Values = UpdateObject<Database, 'cloud_transfers', 'cloud_transfers'>;

const pauseAfterCleanup = [10, 60, 300, 900, 3_600, 3_600, 3_600] as const;

async function change({ db, now }: Settling, row: TransferRow, values: Values): Promise<TransferRow> {
  return await db
    .updateTable('cloud_transfers')
    .set({ ...values, updated_at: now() })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Everything has arrived. Errors: `LeaseLostError`. */
export async function settleComplete(parts: Settling, lease: Lease, message: string, done: TransferProgress): Promise<void> {
  await inTransaction(parts.db, async (db) => {
    const row = await lockLeased(db, lease);
    const cancelled = row.state !== 'started';
    const settled = await change({ ...parts, db }, row, {
      ...releasedUntil(null),
      state: cancelled ? row.state : stateAfter(row, 'complete'),
      message: cancelled ? 'Everything had arrived before it was cancelled.' : message,
      failures: 0,
      cleanup: false,
      files: done.files,
      bytes: done.bytes,
      folder_key: null,
      sealed_authorization: null,
    });
    if (!cancelled) {
      await forgetFiles(db, row.id);
      await parts.record(db, 'complete', settled);
    }
  });
}

/**
 * An attempt failed: it waits for the next one, or is over. Single-use credentials are good for what is to be removed after an
 * error, and forgotten then. Null: it was cancelled meanwhile, and is still this process's. Errors: `LeaseLostError`.
 */
export async function settleFailure(
  parts: Settling,
  lease: Lease,
  error: unknown,
  { progressed, done }: { readonly progressed: boolean; readonly done: TransferProgress },
): Promise<Outcome | null> {
  return await inTransaction(parts.db, async (db) => {
    const row = await lockLeased(db, lease);
    if (row.state !== 'started') return null;
    const failures = progressed ? 1 : row.failures + 1;
    const outcome = outcomeOf(error, failures);
    const arrived = { files: Math.max(row.files, done.files), bytes: Math.max(Number(row.bytes), done.bytes) };
    if (outcome.kind === 'postponed') {
      const values = {
        ...arrived,
        ...releasedUntil(outcome.seconds),
        state: stateAfter(row, 'postpone'),
        failures,
        message: outcome.message,
      };
      await change({ ...parts, db }, row, values);
    } else {
      const ends = row.cloud_connection_id === null;
      const values = { ...arrived, state: stateAfter(row, 'fail'), failures: 0, message: outcome.message, cleanup: ends };
      const settled = await change({ ...parts, db }, row, { ...values, ...releasedUntil(ends ? 0 : null) });
      await parts.record(db, 'error', settled);
    }
    return outcome;
  });
}

/** Puts a transfer down unchanged. False where the lease is lost: then it is not this one's any more. */
export async function putDown(db: Kysely<Database>, { transferId, leaseId }: Lease): Promise<boolean> {
  const put = await db
    .updateTable('cloud_transfers')
    .set({
      ...releasedUntil(0),
      state: (to) =>
        to
          .case()
          .when('state', '=', 'started')
          .then('pending' as const)
          .else(to.ref('state'))
          .end(),
    })
    .where('id', '=', transferId)
    .where('lease_id', '=', leaseId)
    .returning('id')
    .executeTakeFirst();
  return put !== undefined;
}

/** Puts a transfer down, and calls another process to it. */
export async function handOver({ db, jobs }: { readonly db: Kysely<Database>; readonly jobs: Jobs }, lease: Lease): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (await putDown(trx, lease)) await jobs.add(trx, 'transfers.run', {});
  });
}

/** What was unfinished at the provider is removed. Errors: `LeaseLostError`. */
export async function settleCleanup(parts: Settling, lease: Lease): Promise<void> {
  await inTransaction(parts.db, async (db) => {
    const row = await lockLeased(db, lease);
    await change({ ...parts, db }, row, { ...afterCleanup(row), failures: 0 });
    const owner = await db.selectFrom('packages').select('state').where('id', '=', row.package_id).executeTakeFirstOrThrow();
    // Of a package that is still being made, or stands, it may be taken up again.
    if (owner.state !== 'finalized' && owner.state !== 'new') await forgetFiles(db, row.id);
  });
}

/** Removing failed: it is tried again some times, and then left. */
export async function settleFailedCleanup(parts: Settling, lease: Lease, error: unknown): Promise<void> {
  await inTransaction(parts.db, async (db) => {
    const row = await lockLeased(db, lease);
    const pause = pauseAfterCleanup[row.failures];
    if (pause !== undefined && outcomeOf(error, 1).kind === 'postponed') {
      await change({ ...parts, db }, row, { ...releasedUntil(pause), failures: row.failures + 1 });
      return;
    }
    const told = row.state === 'cancelled' && { message: 'What it had begun could not be removed at the provider.' };
    await change({ ...parts, db }, row, { ...afterCleanup(row), ...told, failures: 0 });
  });
}

/** A transfer that is to be tried again meanwhile goes on at once; otherwise it is over, and its credentials are forgotten. */
function afterCleanup({ state }: TransferRow): Values {
  const waits = state === 'pending' || state === 'started';
  return {
    cleanup: false,
    ...releasedUntil(waits ? 0 : null),
    ...(!waits && { sealed_authorization: null }),
    ...(state === 'started' && { state: 'pending' }),
  };
}

function stateAfter({ state }: TransferRow, event: 'complete' | 'fail' | 'postpone') {
  const move = transition(state, event);
  return move.outcome === 'moves' ? move.to : state;
}

/** Whether a transfer was left behind by so many processes that it may be what ends them. */
export const leftTooOften = ({ failures }: TransferRow): boolean => failures >= maxFailures;
