import { formJobs } from '../forms/jobs.ts';
import { mailJobs } from '../mail/jobs.ts';
import { packageJobs } from '../packages/jobs.ts';
import { webhookJobs } from '../webhooks/jobs.ts';
import type { JobHandlers } from './jobs.ts';

/** Every kind of job's behaviour, merged from the resource folders. */
export const jobHandlers: JobHandlers = {
  ...packageJobs,
  ...formJobs,
  ...webhookJobs,
  ...mailJobs,
};
