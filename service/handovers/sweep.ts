import type { JobContext } from '../jobs/context.ts';

/** So long a page can still learn what has become of its code. */
const keptMilliseconds = 30 * 24 * 3600 * 1000;

/** Deletes what codes carry that nobody took in time, and the records of codes that ended long ago. */
export async function sweepHandovers({ db, now }: Pick<JobContext, 'db' | 'now'>): Promise<void> {
  await db
    .deleteFrom('handover_parts')
    .where('handover_id', 'in', (select) => select.selectFrom('handovers').select('id').where('expires_at', '<', now()))
    .execute();
  await db
    .deleteFrom('handovers')
    .where('expires_at', '<', new Date(now().getTime() - keptMilliseconds))
    .execute();
}
