import type { Transport } from '../io/transport.ts';
import type { Limits } from '../limits/limits.ts';
import { runDownload } from './download-job.ts';
import type { JobContext, JobEnd, JobPorts } from './job.ts';
import type { TransferRecord } from './record.ts';
import { runUpload } from './upload-job.ts';

export interface RunPorts {
  readonly jobs: JobPorts;
  readonly transport: Pick<Transport, 'moversFor'>;
  readonly limits: Limits;
}

/** Runs one transfer from where it stands, under its limits. Throws what ends it. */
export async function runJob({ jobs, transport, limits }: RunPorts, record: TransferRecord, context: JobContext): Promise<JobEnd> {
  const { id, kind } = record;
  const limiter = limits.follow(id, kind, () => jobs.book.get(id).rateLimit);
  const { times } = context.activity;
  const movers = transport.moversFor(kind === 'upload' ? { uploadLimiter: limiter, times } : { downloadLimiter: limiter, times });
  const run = kind === 'upload' ? runUpload : runDownload;
  try {
    return await run({ ...jobs, movers }, id, context);
  } finally {
    limits.unfollow(id);
  }
}
