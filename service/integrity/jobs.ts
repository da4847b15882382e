import type { JobHandlersOf } from '../jobs/context.ts';
import { endOfNight } from './scrub.ts';
import { tellOperators } from './tell-operators.ts';

/** Whose check is under way may be gone with its machine, which PostgreSQL notices late. */
const busyMilliseconds = 10 * 60_000;

/** What is done about the integrity of the storage without a call. */
export const integrityJobs: JobHandlersOf<'integrity.scrub'> = {
  'integrity.scrub': async ({ until }, context) => {
    const { scrub, signal, log, jobs, db, now } = context;
    if (!scrub) return;
    const end = until === undefined ? endOfNight(now()) : new Date(until);
    if (end <= now()) return;
    const how = await scrub.run(end, signal, log);
    await tellOperators(context, await scrub.counts());
    // The rest of the night is for whichever worker is there: of a rolling restart another one, or this one once it is back.
    const goOn = async (startAfter?: Date) => {
      if ((startAfter ?? now()) < end) await jobs.add(db, 'integrity.scrub', { until: end.toISOString() }, startAfter && { startAfter });
    };
    if (how === 'stopped') await goOn();
    if (how === 'busy') await goOn(new Date(now().getTime() + busyMilliseconds));
  },
};
