import type { JobHandlersOf } from '../jobs/context.ts';
import { checkAgain } from './missing-records.ts';
import { hasRecord } from './txt-records.ts';

/** Name servers asked at once. */
const concurrency = 8;

/** A domain that is sold or given up must not let its new owner's mail into the Team of the old one. */
export const ssoJobs: JobHandlersOf<'sso.check_domains'> = {
  async 'sso.check_domains'(_, context) {
    const { db, resolveTxt, signal } = context;
    const rows = await db.selectFrom('sso_domains').selectAll().where('verified_at', 'is not', null).orderBy('id').execute();
    const workers = Array.from({ length: concurrency }, async () => {
      for (let row = rows.shift(); row && !signal.aborted; row = rows.shift()) {
        const found = await hasRecord(resolveTxt, row);
        if (found !== null) await checkAgain(context, row, found);
      }
    });
    await Promise.all(workers);
  },
};
