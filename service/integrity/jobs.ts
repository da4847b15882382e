import type { JobHandlersOf } from '../jobs/jobs.ts';

/** What is done about the integrity of the storage without a call. */
export const integrityJobs: JobHandlersOf<'integrity.scrub'> = {
  'integrity.scrub': async (_, { scrub, signal, log }) => await scrub?.run(signal, log),
};
