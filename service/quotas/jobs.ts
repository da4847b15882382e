import type { JobHandlersOf } from '../jobs/jobs.ts';
import { checkQuotas, countIfNew } from './count.ts';

/** What is done about quotas without a call. */
export const quotaJobs: JobHandlersOf<'quotas.count' | 'quotas.check'> = {
  'quotas.count': async ({ holder_id: id }, { db }) => await countIfNew(db, id),

  'quotas.check': async (_, { db, log, signal }) => {
    signal.throwIfAborted();
    await checkQuotas(db, ({ holderId, before, used }) => {
      log.warn({ holder: holderId, before, used }, 'the counter of a quota was wrong and is mended');
    });
  },
};
