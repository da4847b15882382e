import type { JobHandlersOf } from '../jobs/context.ts';
import { tellOperators } from './tell-operators.ts';

/** What is done about the integrity of the storage without a call. */
export const integrityJobs: JobHandlersOf<'integrity.scrub'> = {
  'integrity.scrub': async (_, context) => {
    const { scrub, signal, log } = context;
    if (!scrub) return;
    await scrub.run(signal, log);
    await tellOperators(context, await scrub.counts());
  },
};
