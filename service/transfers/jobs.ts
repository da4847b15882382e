import type { JobHandlersOf } from '../jobs/context.ts';

/** A transfer may be due: a process that has room takes it on (runner.ts). */
export const transferJobs: JobHandlersOf<'transfers.run'> = {
  'transfers.run': async (_, { transfers }) => transfers.wake(),
};
