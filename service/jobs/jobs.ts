import { sql } from 'kysely';
import { fromKysely, type Job, PgBoss } from 'pg-boss';
import type { Tracer } from '#net/tracing/span.ts';
import { parseTraceparent } from '#protocol/trace-context.ts';
import { serviceActivity } from '../activity-channel.ts';
import type { DatabaseConnection } from '../database/database-connection.ts';
import type { Services } from '../handler.ts';
import type { Log } from '../log.ts';
import { currentTrace, inTrace, Trace } from '../tracing/current-trace.ts';
import { type Batches, type BatchHandler, type BatchHandlers, oneByOne, startBatches } from './batches.ts';
import { openJobConnection } from './connection.ts';
import type { JobHandler, JobHandlers } from './context.ts';
import { failedJobs, failedKinds, failedQueue } from './failed.ts';
import { batchNames, crowdNames, isJobName, type JobName, type SingleName, type TakenName } from './kinds.ts';
import type { JobQueues, Jobs } from './ports.ts';
import { prepareQueues } from './prepare-queues.ts';
import { scheduledRuns } from './scheduled.ts';
import { takeJobs } from './take.ts';
import { startWorkers, type Workers } from './workers.ts';

export interface RunningJobs extends Jobs, JobQueues {
  /** Starts processing jobs. Until then they are only added. */
  work(handlers: JobHandlers, batchHandlers: BatchHandlers, services: Services): Promise<void>;
  /** Takes no more jobs of this kind here; those under way end. For what other processes shall hear of. */
  leave(name: SingleName): Promise<void>;
  /** Lets running jobs finish for this long; those that do not are run again by the next worker. */
  close(graceMilliseconds: number): Promise<void>;
}

/** What every opened queue is opened with. */
const settings = { schema: 'jobs', persistWarnings: false } as const;

const adding = (boss: PgBoss): Jobs => ({
  async add(db, name, data, options = {}) {
    const traceparent = currentTrace()?.traceparent;
    await boss.send(name, traceparent === undefined ? data : { ...data, traceparent }, { ...options, db: fromKysely(db) });
  },
  async addAll(db, name, jobs) {
    const usual = currentTrace()?.traceparent;
    const rows = jobs.map(({ data, traceparent = usual, startAfter }) => ({
      data: traceparent === undefined ? data : { ...data, traceparent },
      ...(startAfter !== undefined && { startAfter }),
    }));
    if (rows.length > 0) await boss.insert(name, rows, { db: fromKysely(db) });
  },
});

/** Where one kind's taking failed, pg-boss names its queue beside the error's fields. */
function logFailures(boss: PgBoss, log: Log): void {
  boss.on('error', (error: Error & { queue?: string }) =>
    log.warn({ err: error, ...(error.queue !== undefined && { job: error.queue }) }, 'the job queue had a failure; it goes on'),
  );
}

/** Opens the job tables, which another process has made, only to add jobs. */
export async function openJobsToAdd(connection: DatabaseConnection, log: Log): Promise<Jobs & { close(): Promise<void> }> {
  const { db, close } = openJobConnection(connection, 1, log);
  const boss = new PgBoss({ ...settings, db, migrate: false, supervise: false, schedule: false });
  logFailures(boss, log);
  try {
    await boss.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...adding(boss),
    async close() {
      await boss.stop({ graceful: false });
      await close();
    },
  };
}

/** The trace that a job belongs to: that of the call or the job that added it. It ends with the attempt. */
function traceOfJob(tracer: Tracer | null, name: JobName, id: string, traceparent: string | undefined): Trace {
  const attributes = { 'messaging.operation.type': 'process', 'messaging.destination.name': name, 'longshore.job.id': id };
  const parent = parseTraceparent(traceparent);
  return new Trace(traceparent, tracer?.start(`job ${name}`, { kind: 'consumer', parent, attributes }) ?? null);
}

/** Without a worker nothing is taken, scheduled or counted: only added, and looked at for operators. */
const ofRole = {
  worker: { connections: 4, use: { useListenNotify: true } },
  others: { connections: 2, use: { supervise: false, schedule: false } },
} as const;

interface OpenJobsOptions {
  readonly role?: keyof typeof ofRole;
  /** Records each attempt. */
  readonly tracer?: Tracer | null;
}

/** Opens the job tables (schema `jobs` of the same database; created and migrated by pg-boss). */
export async function openJobs(
  connection: DatabaseConnection,
  log: Log,
  { role = 'worker', tracer = null }: OpenJobsOptions = {},
): Promise<RunningJobs> {
  const { connections, use } = ofRole[role];
  const own = openJobConnection(connection, connections, log);
  const boss = new PgBoss({ ...settings, ...use, db: own.db });
  logFailures(boss, log);
  try {
    await boss.start();
    await prepareQueues(boss);
  } catch (error) {
    await boss.stop({ graceful: false });
    await own.close();
    throw error;
  }
  const stopping = new AbortController();
  let workers: Workers | null = null;
  let batches: readonly Batches[] = [];

  return {
    async depths() {
      const queues = await boss.getQueues();
      return queues.map(({ name, queuedCount, activeCount, deferredCount, failedCount }) => ({
        name,
        queued: queuedCount,
        active: activeCount,
        deferred: deferredCount,
        failed: failedCount,
      }));
    },
    async oldestDue(db, at) {
      const { rows } = await sql<{ oldest: Date | null }>`
        select min(start_after) as oldest from jobs.job where name <> ${failedQueue} and state < 'active' and start_after <= ${at}`.execute(
        db,
      );
      return rows[0]!.oldest;
    },
    failedJobs,
    failedKinds,
    scheduledRuns,
    async retryFailed(db, which) {
      if ('ids' in which ? which.ids.length === 0 : !isJobName(which.kind)) return 0;
      return await boss.redrive(failedQueue, { ...('ids' in which ? which : { sourceName: which.kind }), db: fromKysely(db) });
    },
    ...adding(boss),
    async work(handlers, batchHandlers, services) {
      const begun = (name: JobName, job: Job<object>) => {
        serviceActivity.publish(`job ${name} ${job.id}`);
        const { traceparent, ...data } = job.data as { readonly traceparent?: string };
        return { data, trace: traceOfJob(tracer, name, job.id, traceparent) };
      };
      const attempt = async (name: SingleName, job: Job<object>): Promise<void> => {
        const handle = handlers[name] as JobHandler<typeof name>;
        const signal = AbortSignal.any([stopping.signal, job.signal]);
        const { data, trace } = begun(name, job);
        await inTrace(trace, async () => {
          try {
            await handle(data as never, { ...services, log, signal });
            trace.end(null);
          } catch (error) {
            trace.end((error as Error).name);
            log.warn({ err: error, job: name, id: job.id }, 'a job failed; it is tried again');
            throw error;
          }
        });
      };
      const ports = {
        ...{ boss, db: services.db, context: { ...services, log }, stopping: stopping.signal, traceOf: begun, log },
        take: (name: TakenName, most: number) => takeJobs(own.db, name, most),
      };
      const alone = (name: (typeof crowdNames)[number]): BatchHandler<typeof name> =>
        oneByOne((job, context) => (handlers[name] as JobHandler<typeof name>)(job.data, context));
      const started = new Map<TakenName, Batches>([
        ...batchNames.map((name) => [name, startBatches(name, batchHandlers[name] as BatchHandler<typeof name>, ports)] as const),
        ...crowdNames.map((name) => [name, startBatches(name, alone(name), ports)] as const),
      ]);
      batches = [...started.values()];
      workers = startWorkers(boss, own, attempt, (name) => started.get(name)!.tell(), log);
    },
    async leave(name) {
      await workers?.leave(name);
    },
    async close(graceMilliseconds) {
      stopping.abort();
      workers?.stop();
      await Promise.all([
        ...batches.map((kind) => kind.close(graceMilliseconds)),
        boss.stop({ graceful: true, timeout: graceMilliseconds }),
      ]);
      await own.close();
    },
  };
}
