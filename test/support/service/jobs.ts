import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Database } from '#service/database/schema/database.ts';
import { inTransaction } from '#service/database/transaction.ts';
import type { Services } from '#service/handler.ts';
import type { BatchContext, BatchHandler } from '#service/jobs/batches.ts';
import type { JobContext } from '#service/jobs/context.ts';
import { jobHandlers } from '#service/jobs/handlers.ts';
import type { BatchName, JobData, JobName, SingleName } from '#service/jobs/kinds.ts';
import { createLogger } from '#service/log.ts';
import { Trace } from '#service/tracing/current-trace.ts';

export interface RunJobOptions {
  readonly signal?: AbortSignal;
  /** What the job works with instead, e.g. a storage that fails. */
  readonly instead?: Partial<Services>;
}

/** Does one attempt at a job here and now, as a worker would; rejects as the job does. */
export async function runJob<Name extends SingleName>(
  services: Services,
  name: Name,
  data: JobData[Name],
  { signal = new AbortController().signal, instead = {} }: RunJobOptions = {},
): Promise<void> {
  await jobHandlers[name](data, { ...services, ...instead, log: createLogger('silent'), signal });
}

/** Does one attempt at jobs that were taken together; rejects as the first of them does. */
export async function runBatch<Name extends BatchName>(
  handle: BatchHandler<Name>,
  data: readonly JobData[Name][],
  context: JobContext,
): Promise<void> {
  const jobs = data.map((one, nth) => ({ id: `${nth}`, data: one, trace: new Trace(undefined) }));
  const failures: unknown[] = [];
  const own: BatchContext = {
    ...context,
    async end(jobs, work) {
      await inTransaction(context.db, async (trx) => await work?.(trx, jobs));
    },
    fail: async (_, error) => void failures.push(error),
  };
  await handle(jobs, own);
  if (failures.length > 0) throw failures[0];
}

/** Tells all workers that there are jobs of the kind `$1`, as pg-boss does when it adds one. */
export const tellOfJobs = `select pg_notify('pgboss_' || left(encode(sha224('jobs'::bytea), 'hex'), 24), $1)`;

/** Does not wait out the pause before the next attempt at jobs of this kind, nor until workers look for some by themselves. */
export async function hurryJobs(db: Kysely<Database>, name: JobName): Promise<void> {
  await sql`update jobs.job set start_after = now() where name = ${name} and state in ('retry', 'created')`.execute(db);
  await db.executeQuery(CompiledQuery.raw(tellOfJobs, [name]));
}

/** Notes each job that is added from now on, by any process. Those that are taken in batches are deleted once they are done. */
export async function noteJobs(db: Kysely<Database>): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(`
      create table noted_jobs (name text not null, data jsonb not null);
      create function note_job() returns trigger language plpgsql as $$
        begin insert into public.noted_jobs values (new.name, new.data); return null; end $$;
      create trigger note_job after insert on jobs.job for each row execute function note_job()`),
  );
}

/** What the noted jobs of this kind were given, in their order. */
export async function notedJobs<Name extends JobName>(db: Kysely<Database>, name: Name): Promise<JobData[Name][]> {
  const { rows } = await sql<{ data: JobData[Name] }>`select data from noted_jobs where name = ${name}`.execute(db);
  return rows.map(({ data }) => data);
}
