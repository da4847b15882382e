import type { Services } from '../handler.ts';
import type { Log } from '../log.ts';
import type { JobData, SingleName } from './kinds.ts';

/** What handlers of jobs work with. */
export interface JobContext extends Services {
  readonly log: Log;
  /** Aborted when the service stops or the attempt has timed out. */
  readonly signal: AbortSignal;
}

/** The handler of a kind of job. If it throws, the job is retried later (jobs/kinds.ts defines when and how often). */
export type JobHandler<Name extends SingleName> = (data: JobData[Name], context: JobContext) => Promise<void>;

/** One handler per kind. A resource folder declares its own as `JobHandlersOf<'mail.send' | …>`. */
export type JobHandlersOf<Names extends SingleName> = { readonly [Name in Names]: JobHandler<Name> };
export type JobHandlers = JobHandlersOf<SingleName>;
