import type { Services } from '#service/handler.ts';
import { jobHandlers } from '#service/jobs/handlers.ts';
import type { JobData, JobName } from '#service/jobs/kinds.ts';
import { createLogger } from '#service/log.ts';

export interface RunJobOptions {
  readonly signal?: AbortSignal;
  /** What the job works with instead, e.g. a storage that fails. */
  readonly instead?: Partial<Services>;
}

/** Does one attempt at a job here and now, as a worker would; rejects as the job does. */
export async function runJob<Name extends JobName>(
  services: Services,
  name: Name,
  data: JobData[Name],
  { signal = new AbortController().signal, instead = {} }: RunJobOptions = {},
): Promise<void> {
  await jobHandlers[name](data, { ...services, ...instead, log: createLogger('silent'), signal });
}
