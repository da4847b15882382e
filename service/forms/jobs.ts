import type { JobHandlersOf } from '../jobs/jobs.ts';
import { sweepResponses } from './responses.ts';

/** What happens to form responses by itself. */
export const formJobs: JobHandlersOf<'forms.sweep'> = {
  'forms.sweep': (_, context) => sweepResponses(context),
};
