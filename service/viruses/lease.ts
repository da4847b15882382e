import type { Kysely, Transaction, UpdateObject } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/** For how long a package is one process's after each sign of life: more than a scanner takes for one file. */
const leaseMilliseconds = 15 * 60_000;

export class ScanLeaseLostError extends Error {
  override readonly name = 'ScanLeaseLostError';
}

type Change = Omit<UpdateObject<Database, 'package_scans'>, 'package_id' | 'created_at' | 'leased_until'>;

/** A package that waits for its scan, taken by this process. */
export interface ScanLease {
  readonly packageId: string;
  readonly position: Buffer | null;
  readonly attempts: number;
  /** Says that the work goes on; asks the database only now and then. `ScanLeaseLostError`. */
  renew(): Promise<void>;
  /** Writes down how far it is. `ScanLeaseLostError` if another process has it now, or the package is gone. */
  write(trx: Transaction<Database>, change: Change): Promise<void>;
  /** Lets go of it. `ScanLeaseLostError`. */
  release(db: Kysely<Database>, change: Change): Promise<void>;
}

/** Takes the package that waits longest, and is due. What a killed process has left is taken once its lease is over. */
export async function takeScan(db: Kysely<Database>, now: () => Date): Promise<ScanLease | undefined> {
  const at = now();
  let until = new Date(at.getTime() + leaseMilliseconds);
  const row = await db
    .updateTable('package_scans')
    .set({ leased_until: until })
    .where('package_id', '=', (select) =>
      select
        .selectFrom('package_scans')
        .select('package_id')
        .where('state', '=', 'pending')
        .where('due_at', '<=', at)
        .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<=', at)]))
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['package_id', 'position', 'attempts'])
    .executeTakeFirst();
  if (!row) return undefined;

  // Who takes a package later has a later time in it, so the time says whose it is.
  const change = async (db: Kysely<Database>, set: Change, leased: Date | null): Promise<void> => {
    const changed = await db
      .updateTable('package_scans')
      .set({ ...set, leased_until: leased })
      .where('package_id', '=', row.package_id)
      .where('state', '=', 'pending')
      .where('leased_until', '=', until)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) throw new ScanLeaseLostError('Another process scans this package now, or it is gone.');
  };
  const extend = async (): Promise<void> => {
    const next = new Date(now().getTime() + leaseMilliseconds);
    await change(db, {}, next);
    until = next;
  };
  let renewing: Promise<void> | null = null;
  return {
    packageId: row.package_id,
    position: row.position,
    attempts: row.attempts,
    async renew() {
      if (until.getTime() - now().getTime() > leaseMilliseconds / 2) return;
      renewing ??= extend().finally(() => {
        renewing = null;
      });
      await renewing;
    },
    write: async (trx, set) => await change(trx, set, set.state === 'done' ? null : until),
    release: async (db, set) => await change(db, set, null),
  };
}
