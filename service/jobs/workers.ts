import type { Job, PgBoss } from 'pg-boss';
import type { Log } from '../log.ts';
import type { JobConnection } from './connection.ts';
import { isJobName, isTakenName, type JobName, jobKinds, jobNames, type SingleName, type TakenName } from './kinds.ts';

/** How often it is looked whether jobs are due: those put off, and those of which no message came. */
const lookMilliseconds = 5_000;
/** As a worker's own look finds nothing that ours does not. */
const seldomSeconds = 3_600;

/** One job at a time of its kind. */
interface Slot {
  /** Empty until pg-boss has named it. */
  id: string;
  job: Job<object> | null;
}

export interface Workers {
  /** Takes no more jobs of this kind; those under way end. */
  leave(name: SingleName): Promise<void>;
  /** Begins no more; pg-boss ends those there are. */
  stop(): void;
}

/**
 * Has jobs done as they become due. A worker of pg-boss asks for its kind at its start, and again every few seconds: some
 * forty statements each time for nothing. So a worker begins once there is a job for it, one statement looks after all kinds,
 * and what is added is told by PostgreSQL.
 *
 * Each kind has slots, of which the first that is not busy is told. If it finds a job it tells the next, and once it is done it
 * asks again: so jobs are done at once however many there are, and none is left where a slot is free. Kinds of which many
 * may wait have none, and are told as a whole (jobs/batches.ts).
 */
export function startWorkers(
  boss: Pick<PgBoss, 'work' | 'offWork' | 'notifyWorker'>,
  { db, onJob }: Pick<JobConnection, 'db' | 'onJob'>,
  work: (name: SingleName, job: Job<object>) => Promise<void>,
  tellTaken: (name: TakenName) => void,
  log: Log,
): Workers {
  const slots = new Map(jobNames.map((name) => [name, [] as Slot[]]));

  async function begin(name: SingleName, own: Slot[]): Promise<void> {
    const slot: Slot = { id: '', job: null };
    own.push(slot);
    const intervals = { pollingIntervalSeconds: seldomSeconds, notifyPollingIntervalSeconds: seldomSeconds };
    const take = async ([job]: Job<object>[]): Promise<void> => {
      const over = () => {
        if (slot.job !== job) return;
        slot.job = null;
        boss.notifyWorker(slot.id);
      };
      slot.job = job!;
      // Where its time is up pg-boss goes on while the attempt may not have ended.
      job!.signal.addEventListener('abort', over, { once: true });
      tell(name);
      try {
        await work(name, job!);
      } finally {
        over();
      }
    };
    try {
      slot.id = await boss.work<object>(name, intervals, take);
    } catch (error) {
      // The next look begins it anew.
      own.splice(own.indexOf(slot), 1);
      log.warn({ err: error, job: name }, 'a worker could not begin');
    }
  }

  /** There may be a job of this kind. */
  function tell(name: JobName): void {
    const own = slots.get(name);
    if (!own) return;
    const free = own.find(({ job }) => job === null);
    if (isTakenName(name)) tellTaken(name);
    else if (free) boss.notifyWorker(free.id);
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
