import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { JobData, JobName } from './kinds.ts';

interface AddOptions {
  /** Earliest start time. */
  readonly startAfter?: Date;
}

export interface AddedJob<Name extends JobName> extends AddOptions {
  readonly data: JobData[Name];
  /** The trace that it belongs to; that of the call or job under way by default. */
  readonly traceparent?: string;
}

/** How many jobs there are of a kind. */
export interface QueueDepth {
  readonly name: string;
  /** Due, not yet started. */
  readonly queued: number;
  readonly active: number;
  /** Scheduled for later. */
  readonly deferred: number;
  /** For good, in the last 24 hours. */
  readonly failed: number;
}

export interface FailedJobRow {
  readonly id: string;
  readonly kind: string;
  readonly attempts: number;
  /** One line. */
  readonly reason: string;
  /** Ids of what it is about. */
  readonly about: Record<string, string>;
  readonly created_at: Date;
  readonly failed_at: Date;
}

/** How a kind that comes by a schedule went. */
export interface ScheduledRuns {
  readonly kind: string;
  /** Cron, UTC. */
  readonly schedule: string;
  /** The end of the last run that was done; null: none is remembered. */
  readonly ranAt: Date | null;
  /** The last one that failed; null: none is remembered. `reason` is one line. */
  readonly failed: { readonly at: Date; readonly reason: string } | null;
}

/** What operators see of the queues. */
export interface JobQueues {
  /** Counted about every minute. */
  depths(): Promise<readonly QueueDepth[]>;
  /** Since when the oldest job that is due waits; null if none does. */
  oldestDue(db: Kysely<Database>, at: Date): Promise<Date | null>;
  /** Jobs that failed for good (jobs/failed.ts), the latest first. */
  failedJobs(
    db: Kysely<Database>,
    query: { readonly kind: string | null; readonly before: { readonly at: Date; readonly id: string } | null; readonly limit: number },
  ): Promise<readonly FailedJobRow[]>;
  scheduledRuns(db: Kysely<Database>): Promise<readonly ScheduledRuns[]>;
  failedKinds(db: Kysely<Database>): Promise<readonly { readonly kind: string; readonly count: number }[]>;
  /** Does failed jobs again, if the transaction `db` is committed: those named, or up to 1,000 of a kind. Gives how many. */
  retryFailed(db: Kysely<Database>, which: { readonly ids: string[] } | { readonly kind: string }): Promise<number>;
}

/** Background jobs, run later by any process of the service. */
export interface Jobs {
  /**
   * Adds a job in the transaction `db`, if it is one: then the job exists exactly if the transaction is committed. A
   * job is run at least once, so its handler must be idempotent.
   */
  add<Name extends JobName>(db: Kysely<Database>, name: Name, data: JobData[Name], options?: AddOptions): Promise<void>;
  /** The same for several, by one statement. */
  addAll<Name extends JobName>(db: Kysely<Database>, name: Name, jobs: readonly AddedJob<Name>[]): Promise<void>;
}
