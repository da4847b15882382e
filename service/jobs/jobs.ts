import type pg from 'pg';
import { fromKysely, PgBoss } from 'pg-boss';
import type { Services } from '../handler.ts';
import type { Log } from '../log.ts';
import type { QueueDepth } from '../metrics/metrics.ts';
import { type JobData, type JobName, jobKinds, jobNames } from './kinds.ts';
import type { Jobs } from './ports.ts';

export interface JobContext extends Services {
  readonly log: Log;
  /** Aborted when the service stops or the attempt has taken too long. */
  readonly signal: AbortSignal;
}

/** What a kind of job does. Throwing means: try again later (jobs/kinds.ts says when and how often). */
export type JobHandler<Name extends JobName> = (data: JobData[Name], context: JobContext) => Promise<void>;

/** One behaviour per kind. A resource folder declares its own as `JobHandlersOf<'mail.send' | …>`. */
export type JobHandlersOf<Names extends JobName> = { readonly [Name in Names]: JobHandler<Name> };
export type JobHandlers = JobHandlersOf<JobName>;

export interface RunningJobs extends Jobs {
  /** Begins to do jobs. Until then they are only added. */
  work(handlers: JobHandlers, services: Services): Promise<void>;
  /** How each queue stands, as counted every minute or so. */
  depths(): Promise<readonly QueueDepth[]>;
  /** Lets running jobs end for so long; those that do not are done again by whoever works next. */
  close(graceMilliseconds: number): Promise<void>;
}

/** Opens the job tables (schema `jobs` of the same database; made and migrated by pg-boss). */
export async function openJobs(connection: pg.ClientConfig, log: Log): Promise<RunningJobs> {
  const boss = new PgBoss({
    ...(connection as { connectionString?: string }),
    schema: 'jobs',
    application_name: 'longshore-jobs',
    max: 4,
    useListenNotify: true,
    persistWarnings: false,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue had a failure; it goes on'));
  await boss.start();
  for (const name of jobNames) {
    const { schedule, localConcurrency: _, ...options } = jobKinds[name];
    const settings = { ...options, retryBackoff: true, retentionSeconds: 30 * 24 * 3600, deleteAfterSeconds: 24 * 3600, notify: true };
    await boss.createQueue(name, settings);
    await boss.updateQueue(name, settings);
    if (schedule !== undefined) await boss.schedule(name, schedule, {}, { tz: 'UTC' });
  }
  const stopping = new AbortController();

  return {
    async depths() {
      const queues = await boss.getQueues();
      return queues.map(({ name, queuedCount, activeCount, deferredCount }) => ({
        name,
        queued: queuedCount,
        active: activeCount,
        deferred: deferredCount,
      }));
    },
    async add(db, name, data, options = {}) {
      await boss.send(name, data, { ...options, db: fromKysely(db) });
    },
    async work(handlers, services) {
      for (const name of jobNames) {
        const handle = handlers[name] as JobHandler<typeof name>;
        // Each worker by itself, so that it is known by name: one that has done a job looks for the next at once. By
        // itself it would sleep for its polling interval, and a backlog would last hours.
        for (let n = 0; n < jobKinds[name].localConcurrency; n++) {
          const worker = await boss.work(name, { pollingIntervalSeconds: 5, notifyPollingIntervalSeconds: 5 }, async ([job]) => {
            const signal = AbortSignal.any([stopping.signal, job!.signal]);
            try {
              await handle(job!.data as never, { ...services, log, signal });
            } catch (error) {
              log.warn({ err: error, job: name, id: job!.id }, 'a job failed; it is tried again');
              throw error;
            } finally {
              boss.notifyWorker(worker);
            }
          });
        }
      }
    },
    async close(graceMilliseconds) {
      stopping.abort();
      await boss.stop({ graceful: true, timeout: graceMilliseconds });
    },
  };
}
