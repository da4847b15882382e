import { watchGateways } from '../gateways/watch.ts';
import type { Services } from '../handler.ts';
import type { IdempotentCalls } from '../http/idempotency.ts';
import { askForMissedNight } from '../integrity/missed-night.ts';
import { jobHandlers, newBatchHandlers } from '../jobs/handlers.ts';
import type { RunningJobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { TransferRunner } from '../transfers/runner.ts';

const sweepMilliseconds = 3_600_000;

interface WorkerParts {
  readonly jobs: RunningJobs;
  readonly transfers: TransferRunner;
  readonly services: Services;
  readonly idempotent: IdempotentCalls;
  readonly log: Log;
}

/**
 * Starts processing jobs and transfers, and hourly deletes expired responses, buckets and known sources. Transfers
 * in progress are put down at the stop; jobs in progress end when the queue is closed (jobs/jobs.ts).
 */
export async function startWorker({ jobs, transfers, services, idempotent, log }: WorkerParts): Promise<{ stop(): Promise<void> }> {
  await jobs.work(jobHandlers, newBatchHandlers(), services);
  await jobs.add(services.db, 'teams.storage_days', {});
  await askForMissedNight(services);
  transfers.start(services, log);
  const gateways = watchGateways(services, log);
  const sweep = async () => {
    for (const expiring of [idempotent, services.buckets, services.knownSources]) {
      await expiring.sweep().catch((error: unknown) => log.warn({ err: error }, 'what is over could not be deleted'));
    }
  };
  const timer = setInterval(() => void sweep(), sweepMilliseconds);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      // What is put down is called out by a job, which another process has to hear.
      await jobs.leave('transfers.run');
      await Promise.all([transfers.stop(), gateways.stop()]);
    },
  };
}
