import type { JobHandlersOf } from '../jobs/context.ts';
import { forgetSecrets } from './forget-secrets.ts';

/** Background jobs of connections: contract/connections.md §4. */
export const connectionJobs: JobHandlersOf<'connections.sweep'> = {
  'connections.sweep': async (_, { db }) => forgetSecrets(db),
};
