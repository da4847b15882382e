import { pauseAfter } from '../batch-calls.ts';
import { batchesInProgress } from '../concurrency/limits.ts';
import type { JobContext } from '../job.ts';
import type { Pipeline } from './run-batches.ts';

/** What the pipeline takes from the run of its transfer, whichever way the files go. `limit`: of files of each size class. */
export const pacedBy = (context: JobContext, limit: number): Pick<Pipeline, 'limit' | 'weight' | 'signal' | 'pauseAfter'> => ({
  limit,
  weight: () => limit / (context.line?.batches() ?? batchesInProgress.near),
  signal: context.signal,
  pauseAfter: (error, signal) => pauseAfter({ ...context, signal }, error),
});
