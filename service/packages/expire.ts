import { sql } from 'kysely';
import { inTransaction } from '../database/transaction.ts';
import type { JobHandler } from '../jobs/context.ts';
import { endTransfers, mayExpire, tellOfKeptPackages } from '../transfers/package-end.ts';
import { endedColumns } from './end.ts';
import { movesOf } from './state-machine.ts';

/** Packages ended per transaction. */
const perTransaction = 100;

/**
 * Ends the packages that have expired, unless they are on hold or being transferred. Concurrent processes skip rows that another one has locked. Packages that a
 * crash leaves behind are found by the run in the next minute.
 */
export const expirePackages: JobHandler<'packages.expire'> = async (_, { db, jobs, now, signal }) => {
  const { from, to } = movesOf('expire');
  for (;;) {
    signal.throwIfAborted();
    const at = now();
    const ended = await inTransaction(db, async (trx) => {
      const rows = await trx
        .updateTable('packages')
        .set({ ...endedColumns(at), state: to, updated_at: at })
        .where('id', 'in', (select) =>
          select
            .selectFrom('packages')
            .select('id')
            .where(sql<boolean>`state = any(${from}::text[])`)
            .where('expiry', '<=', at)
            .where('held_at', 'is', null)
            .where(mayExpire(at))
            .orderBy('expiry')
            .limit(perTransaction)
            // This weaker lock does not wait for rows that are being inserted with a reference to the package.
            .forNoKeyUpdate()
            .skipLocked(),
        )
        .returning('id')
        .execute();
      if (rows.length > 0)
        await endTransfers(
          trx,
          { jobs, now },
          rows.map(({ id }) => id),
        );
      for (const { id } of rows) await jobs.add(trx, 'packages.free', { package_id: id });
      return rows.length;
    });
    if (ended < perTransaction) break;
  }
  await tellOfKeptPackages(db, now());
};
