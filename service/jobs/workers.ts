import type { Job, JobResult, PgBoss } from 'pg-boss';
import type { Log } from '../log.ts';
import type { JobConnection } from './connection.ts';
import { isJobName, type JobName, jobKinds, jobNames } from './kinds.ts';

/** How often it is looked whether jobs are due: those put off, and those of which no message came. */
const lookMilliseconds = 5_000;
/** As a worker's own look finds nothing that ours does not. */
const seldomSeconds = 3_600;

/** Some jobs at a time of its kind, mostly one. */
interface Slot {
  /** Empty until pg-boss has named it. */
  id: string;
  jobs: readonly Job<object>[] | null;
}

export interface Workers {
  /** Takes no more jobs of this kind; those under way end. */
  leave(name: JobName): Promise<void>;
  /** Begins no more; pg-boss ends those there are. */
  stop(): void;
}

/**
 * Has jobs done as they become due. A worker of pg-boss asks for its kind at its start, and again every few seconds: some
 * forty statements each time for nothing. So a worker begins once there is a job for it, one statement looks after all kinds,
 * and what is added is told by PostgreSQL.
 *
 * Each kind has slots, of which the first that is not busy is told. If it finds as many jobs as it takes it tells the next, and
 * once it is done it asks again: so jobs are done at once however many there are, and none is left where a slot is free.
 */
export function startWorkers(
  boss: Pick<PgBoss, 'work' | 'offWork' | 'notifyWorker'>,
  { db, onJob }: Pick<JobConnection, 'db' | 'onJob'>,
  work: (name: JobName, job: Job<object>) => Promise<void>,
  log: Log,
): Workers {
  const slots = new Map(jobNames.map((name) => [name, [] as Slot[]]));

  async function begin(name: JobName, own: Slot[]): Promise<void> {
    const slot: Slot = { id: '', jobs: null };
    const most = jobKinds[name].takenAtOnce ?? 1;
    own.push(slot);
    const intervals = { pollingIntervalSeconds: seldomSeconds, notifyPollingIntervalSeconds: seldomSeconds };
    const take = async (jobs: Job<object>[]): Promise<JobResult[]> => {
      const over = () => {
        if (slot.jobs !== jobs) return;
        slot.jobs = null;
        boss.notifyWorker(slot.id);
      };
      slot.jobs = jobs;
      // Where the jobs' time is up, which is the same for all, pg-boss goes on while attempts may not have ended.
      jobs[0]!.signal.addEventListener('abort', over, { once: true });
      if (jobs.length === most) tell(name);
      const results = await Promise.all(jobs.map((job) => attempt(name, job)));
      over();
      return results;
    };
    try {
      slot.id = await boss.work<object>(name, { ...intervals, batchSize: most, perJobResults: true }, take);
    } catch (error) {
      // The next look begins it anew.
      own.splice(own.indexOf(slot), 1);
      log.warn({ err: error, job: name }, 'a worker could not begin');
    }
  }

  /** One that fails is tried again, whatever becomes of those that were taken with it. */
  const attempt = async (name: JobName, job: Job<object>): Promise<JobResult> => {
    try {
      await work(name, job);
      return { id: job.id, status: 'completed' };
    } catch (error) {
      return { id: job.id, status: 'failed', output: error };
    }
  };

  /** There may be a job of this kind. */
  function tell(name: JobName): void {
    const own = slots.get(name);
    if (!own) return;
    const free = own.find(({ jobs }) => jobs === null);
    if (free) boss.notifyWorker(free.id);
    else if (own.length < jobKinds[name].localConcurrency) void begin(name, own);
  }

  async function look(): Promise<void> {
    const { rows } = await db.executeSql(
      `select kind.name from unnest($1::text[]) as kind (name) where exists (
        select 1 from jobs.job where name = kind.name and state < 'active' and not blocked and start_after <= now())`,
      [[...slots.keys()]],
    );
    for (const { name } of rows as { name: JobName }[]) tell(name);
  }
  const lookNow = () =>
    void look().catch((error: unknown) => log.warn({ err: error, onceAMinute: 'jobs' }, 'it could not be looked for jobs; it goes on'));

  onJob((kind) => {
    if (kind === null) lookNow();
    else if (isJobName(kind)) tell(kind);
  });
  const timer = setInterval(lookNow, lookMilliseconds);
  timer.unref();
  lookNow();

  return {
    async leave(name) {
      slots.delete(name);
      await boss.offWork(name);
    },
    stop() {
      clearInterval(timer);
      slots.clear();
    },
  };
}
