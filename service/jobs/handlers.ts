import { accountJobs } from '../accounts/jobs.ts';
import { auditJobs } from '../audit/jobs.ts';
import { connectionJobs } from '../connections/jobs.ts';
import { formJobs } from '../forms/jobs.ts';
import { integrityJobs } from '../integrity/jobs.ts';
import { mailJobs } from '../mail/jobs.ts';
import { noticeJobs } from '../notices/jobs.ts';
import { packageJobs } from '../packages/jobs.ts';
import { quotaJobs } from '../quotas/jobs.ts';
import { ssoJobs } from '../sso/jobs.ts';
import { teamJobs } from '../teams/jobs.ts';
import { transferJobs } from '../transfers/jobs.ts';
import { virusJobs } from '../viruses/jobs.ts';
import { newWebhookBatches, webhookJobs } from '../webhooks/jobs.ts';
import type { BatchHandlers } from './batches.ts';
import type { JobHandlers } from './context.ts';

/** The handlers of all kinds of jobs, merged from the resource folders. */
export const jobHandlers: JobHandlers = {
  ...packageJobs,
  ...formJobs,
  ...webhookJobs,
  ...mailJobs,
  ...accountJobs,
  ...auditJobs,
  ...ssoJobs,
  ...teamJobs,
  ...quotaJobs,
  ...integrityJobs,
  ...virusJobs,
  ...transferJobs,
  ...noticeJobs,
  ...connectionJobs,
};

/** Those of which several are taken together: each process has its own. */
export const newBatchHandlers = (): BatchHandlers => newWebhookBatches();
