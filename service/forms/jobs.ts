import type { JobHandlersOf } from '../jobs/context.ts';
import { sweepResponses } from './responses.ts';

/** Background jobs of form responses. */
export const formJobs: JobHandlersOf<'forms.sweep'> = {
  'forms.sweep': (_, context) => sweepResponses(context),
};
