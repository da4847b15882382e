import { sql } from 'kysely';
import { inTransaction } from '../database/transaction.ts';
import type { JobHandler } from '../jobs/jobs.ts';
import { endedAt } from './end.ts';
import { movesOf } from './states.ts';

/** Packages ended by one transaction. */
const perTransaction = 100;

/**
 * Ends the packages whose time has come. Several processes at once skip what another has locked; those that a
 * crash leaves are due in the next minute still.
 */
export const expirePackages: JobHandler<'packages.expire'> = async (_, { db, jobs, now, signal }) => {
  const { from, to } = movesOf('expire');
  for (;;) {
    signal.throwIfAborted();
    const at = now();
    const ended = await inTransaction(db, async (trx) => {
      const rows = await trx
        .updateTable('packages')
        .set({ ...endedAt(at), state: to, updated_at: at })
        .where('id', 'in', (select) =>
          select
            .selectFrom('packages')
            .select('id')
            .where(sql<boolean>`state = any(${from}::text[])`)
            .where('expiry', '<=', at)
            .orderBy('expiry')
            .limit(perTransaction)
            // Rows that are being made for a package do not hold it up.
            .forNoKeyUpdate()
            .skipLocked(),
        )
        .returning('id')
        .execute();
      for (const { id } of rows) await jobs.add(trx, 'packages.free', { package_id: id });
      return rows.length;
    });
    if (ended < perTransaction) return;
  }
};
