import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { TransferCounts } from '../metrics/metrics.ts';
import type { TransferQueue } from './ports.ts';

/** What was done since the start, for the metrics. */
export interface TransferCounters extends Pick<TransferQueue, 'countEnd' | 'countBytes'> {
  /** With what is there now, in all processes. */
  counts(db: Kysely<Database>): Promise<TransferCounts>;
}

export function createTransferCounters(): TransferCounters {
  const ended = { complete: 0, error: 0 };
  let bytes = 0;
  return {
    countEnd(event) {
      ended[event] += 1;
    },
    countBytes(more) {
      bytes += more;
    },
    async counts(db) {
      const rows = await db
        .selectFrom('cloud_transfers')
        .select((select) => ['state', select.fn.countAll<string>().as('count')])
        .where('due_at', 'is not', null)
        .groupBy('state')
        .execute();
      const countOf = (state: 'pending' | 'started') => Number(rows.find((row) => row.state === state)?.count ?? 0);
      return { now: { pending: countOf('pending'), started: countOf('started') }, ended, bytes };
    },
  };
}
