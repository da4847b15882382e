import type { Kysely } from 'kysely';
import { fromKysely, type Job, type PgBoss } from 'pg-boss';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Log } from '../log.ts';
import { inTrace, type Trace } from '../tracing/current-trace.ts';
import type { JobContext } from './context.ts';
import { type BatchName, isBatchName, type JobData, jobKinds, type TakenName } from './kinds.ts';

/** One of the jobs that were taken from the queue together. */
export interface TakenJob<Name extends TakenName = TakenName> {
  readonly id: string;
  readonly data: JobData[Name];
  readonly trace: Trace;
}

export interface BatchContext extends JobContext {
  /**
   * Does `work` and ends jobs in one transaction, whichever batches they are of: they are over exactly if it is committed. `own`: those
   * that are still this process's. Others were given to somebody else, as their time was up while this process stood: what is
   * done for them there is not to be done here as well.
   */
  end<Job extends TakenJob>(jobs: readonly Job[], work?: (trx: Kysely<Database>, own: readonly Job[]) => Promise<void>): Promise<void>;
  /** Has a job tried again later. */
  fail(job: TakenJob, error: unknown): Promise<void>;
}

/**
 * The handler of a kind of which several are taken at once. It ends each job by itself, so that none waits for the slowest of
 * its batch. If it throws, or leaves one, those that it has not ended are tried again later.
 */
export type BatchHandler<Name extends TakenName> = (jobs: readonly TakenJob<Name>[], context: BatchContext) => Promise<void>;
export type BatchHandlersOf<Names extends BatchName> = { readonly [Name in Names]: BatchHandler<Name> };
export type BatchHandlers = BatchHandlersOf<BatchName>;

/** For a kind whose handler does one job: takes several, and does each by itself. */
export const oneByOne =
  <Name extends TakenName>(handle: (job: TakenJob<Name>, context: BatchContext) => Promise<void>): BatchHandler<Name> =>
  async (jobs, context) => {
    for (const job of jobs) {
      await inTrace(job.trace, () => handle(job, context));
      await context.end([job]);
    }
  };

export interface Batches {
  /** There may be jobs. */
  tell(): void;
  /** Takes no more. Those under way end, and those that have not after so long are done again by whoever comes next. */
  close(graceMilliseconds: number): Promise<void>;
}

export interface BatchPorts {
  readonly boss: Pick<PgBoss, 'fail' | 'deleteJob' | 'complete' | 'touch'>;
  /** Takes up to so many jobs that are due. */
  readonly take: (name: TakenName, most: number) => Promise<readonly Job<object>[]>;
  readonly db: Kysely<Database>;
  /** What handlers work with; the signal is added here. */
  readonly context: Omit<JobContext, 'signal'>;
  readonly stopping: AbortSignal;
  readonly traceOf: (name: TakenName, job: Job<object>) => { readonly data: object; readonly trace: Trace };
  readonly log: Log;
}

/** Which jobs a call of pg-boss was about: those whose attempt was still this one. Its types leave that out. */
function settledBy(response: object): readonly string[] {
  const { settled } = response as { readonly settled?: readonly string[] };
  if (!settled) throw new Error('pg-boss does not say which jobs it has ended');
  return settled;
}

/**
 * Takes jobs of a kind as long as fewer than its most are under way. A job frees its place when it ends, so the slow ones hold
 * no more than their own. What was told while the queue is looked at is looked for once more, not as often as it was told.
 */
export function startBatches<Name extends TakenName>(name: Name, handle: BatchHandler<Name>, ports: BatchPorts): Batches {
  const { boss, take, db, stopping, log } = ports;
  const { localConcurrency: most, takenAtOnce: atOnce = 1, expireInSeconds, heartbeatSeconds } = jobKinds[name];
  /** With pg-boss's job, which says which attempt it is. */
  const held = new Map<TakenJob, Job<object>>();
  /** Those that are being failed: once only. */
  const failing = new Set<TakenJob>();
  /** Ends once nothing more is being taken. */
  let looking: Promise<void> | null = null;
  let again = false;
  /** It was told of jobs that there was no room for. */
  let lacksRoom = false;
  let isClosed = false;
  let empty: (() => void) | null = null;

  const room = () => Math.min(atOnce, most - held.size);
  /** By halves of what is taken at once: a look for each place that becomes free would cost as much as one for all. */
  const hasRoom = () => room() * 2 >= atOnce;

  function look(): void {
    again = true;
    looking ??= takeAll().finally(() => {
      looking = null;
      // It was told since the last of its looks.
      if (again) look();
    });
  }

  async function takeAll(): Promise<void> {
    try {
      do {
        again = false;
        if (isClosed) return;
        lacksRoom = !hasRoom();
        if (lacksRoom) return;
        const wanted = room();
        const jobs = await take(name, wanted);
        if (jobs.length > 0) void work(jobs);
        if (jobs.length === wanted) again = true;
      } while (again);
    } catch (error) {
      // The next look at all kinds tells again.
      log.warn({ err: error, job: name, onceAMinute: `jobs of ${name}` }, 'jobs could not be taken; it goes on');
    }
  }

  function release(job: TakenJob): void {
    held.delete(job);
    failing.delete(job);
    if (held.size === 0) empty?.();
    if (lacksRoom && hasRoom()) look();
  }

  const end: BatchContext['end'] = async (jobs, work) => {
    const taken = jobs.flatMap((job) => held.get(job) ?? []);
    await inTransaction(db, async (trx) => {
      // First, so that nobody else gets one while the work is done. Of those that come in crowds it is written down by their
      // handlers what became of each, so they are in nobody's way later.
      const own = { db: fromKysely(trx) };
      const write = () => (isBatchName(name) ? boss.deleteJob(name, taken, own) : boss.complete(name, taken, null, own));
      const ended = new Set(taken.length > 0 ? settledBy(await write()) : []);
      await work?.(
        trx,
        jobs.filter(({ id }) => ended.has(id)),
      );
    });
    for (const job of jobs) {
      job.trace.end(null);
      release(job);
    }
  };

  const fail: BatchContext['fail'] = async (job, error) => {
    const own = held.get(job);
    if (!own || failing.has(job)) return;
    failing.add(job);
    job.trace.end((error as Error).name);
    log.warn({ err: error, job: name, id: job.id }, 'a job failed; it is tried again');
    try {
      await boss.fail(name, own, error as object);
    } catch (failure) {
      // Its time runs out, and then it is tried again.
      log.warn({ err: failure, job: name, id: job.id }, 'that a job failed could not be written down');
    }
    release(job);
  };

  async function work(taken: readonly Job<object>[]): Promise<void> {
    const jobs = taken.map((own) => {
      const { data, trace } = ports.traceOf(name, own);
      const job: TakenJob<Name> = { id: own.id, data: data as JobData[Name], trace };
      held.set(job, own);
      return job;
    });
    const left = (error: unknown) => Promise.all(jobs.map((job) => fail(job, error)));
    const expired = new AbortController();
    const timer = setTimeout(() => {
      const error = new Error(`it took longer than ${expireInSeconds} s`);
      expired.abort(error);
      // Also those whose handler does not hear of it.
      void left(error);
    }, expireInSeconds * 1000);
    timer.unref();
    const beat = heartbeatSeconds === undefined ? undefined : setInterval(() => void touch(jobs, expired), heartbeatSeconds * 500);
    try {
      await handle(jobs, { ...ports.context, signal: AbortSignal.any([stopping, expired.signal]), end, fail });
      await left(new Error('its handler did not end it'));
    } catch (error) {
      await left(error);
    } finally {
      clearTimeout(timer);
      clearInterval(beat);
    }
  }

  /** Says that it is still at them; where none is its own any more it stops. */
  async function touch(jobs: readonly TakenJob[], expired: AbortController): Promise<void> {
    const own = jobs.flatMap((job) => held.get(job) ?? []);
    if (own.length === 0) return;
    try {
      if (settledBy(await boss.touch(name, own)).length === 0) expired.abort(new Error('it was given to somebody else'));
    } catch (error) {
      log.warn({ err: error, job: name, onceAMinute: `beat of ${name}` }, 'that a job is still done could not be written down');
    }
  }

  return {
    tell: look,
    async close(graceMilliseconds) {
      isClosed = true;
      const over = Promise.withResolvers<void>();
      const timer = setTimeout(over.resolve, graceMilliseconds);
      // What is just being taken is under way here.
      await Promise.race([looking, over.promise]);
      empty = over.resolve;
      if (held.size > 0) await over.promise;
      clearTimeout(timer);
      await Promise.all([...held.keys()].map((job) => fail(job, new Error('the service was stopped'))));
    },
  };
}
