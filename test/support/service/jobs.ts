import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Database } from '#service/database/schema/database.ts';
import type { Services } from '#service/handler.ts';
import { jobHandlers } from '#service/jobs/handlers.ts';
import type { JobData, JobName } from '#service/jobs/kinds.ts';
import { createLogger } from '#service/log.ts';

export interface RunJobOptions {
  readonly signal?: AbortSignal;
  /** What the job works with instead, e.g. a storage that fails. */
  readonly instead?: Partial<Services>;
}

/** Does one attempt at a job here and now, as a worker would; rejects as the job does. */
export async function runJob<Name extends JobName>(
  services: Services,
  name: Name,
  data: JobData[Name],
  { signal = new AbortController().signal, instead = {} }: RunJobOptions = {},
): Promise<void> {
  await jobHandlers[name](data, { ...services, ...instead, log: createLogger('silent'), signal });
}

/** Tells all workers that there are jobs of the kind `$1`, as pg-boss does when it adds one. */
export const tellOfJobs = `select pg_notify('pgboss_' || left(encode(sha224('jobs'::bytea), 'hex'), 24), $1)`;

/** Does not wait out the pause before the next attempt at jobs of this kind, nor until workers look for some by themselves. */
export async function hurryJobs(db: Kysely<Database>, name: JobName): Promise<void> {
  await sql`update jobs.job set start_after = now() where name = ${name} and state in ('retry', 'created')`.execute(db);
  await db.executeQuery(CompiledQuery.raw(tellOfJobs, [name]));
}
