import type { Services } from '../handler.ts';
import type { IdempotentCalls } from '../http/idempotency.ts';
import { jobHandlers } from '../jobs/handlers.ts';
import type { RunningJobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';

const sweepMilliseconds = 3_600_000;

interface WorkerParts {
  readonly jobs: RunningJobs;
  readonly services: Services;
  readonly idempotent: IdempotentCalls;
  readonly log: Log;
}

/**
 * Starts processing jobs, and hourly deletes expired responses, buckets and known sources. Jobs in progress end when
 * the queue is closed (jobs/jobs.ts).
 */
export async function startWorker({ jobs, services, idempotent, log }: WorkerParts): Promise<{ stop(): void }> {
  await jobs.work(jobHandlers, services);
  const sweep = async () => {
    for (const expiring of [idempotent, services.buckets, services.knownSources]) {
      await expiring.sweep().catch((error: unknown) => log.warn({ err: error }, 'what is over could not be deleted'));
    }
  };
  const timer = setInterval(() => void sweep(), sweepMilliseconds);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
