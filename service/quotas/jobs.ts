import type { JobHandlersOf } from '../jobs/context.ts';
import { checkQuotas, countIfNew } from './count.ts';
import { tellQuotas } from './tell.ts';

const keptMilliseconds = 90 * 24 * 3_600_000;

/** What is done about quotas without a call. */
export const quotaJobs: JobHandlersOf<'quotas.count' | 'quotas.tell' | 'quotas.check'> = {
  'quotas.count': async ({ holder_id: id }, { db }) => await countIfNew(db, id),

  'quotas.tell': tellQuotas,

  'quotas.check': async (_, { db, log, now, signal }) => {
    signal.throwIfAborted();
    // Their messages go with them.
    await db
      .deleteFrom('quota_warnings')
      .where('created_at', '<', new Date(now().getTime() - keptMilliseconds))
      .execute();
    await checkQuotas(db, ({ holderId, before, used }) => {
      log.warn({ holder: holderId, before, used }, 'the counter of a quota was wrong and is mended');
    });
  },
};
