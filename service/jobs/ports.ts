import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { JobData, JobName } from './kinds.ts';

interface AddOptions {
  /** Earliest start time. */
  readonly startAfter?: Date;
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

/** What operators see of the queues. */
export interface JobQueues {
  /** Counted about every minute. */
  depths(): Promise<readonly QueueDepth[]>;
  /** Since when the oldest job that is due waits; null if none does. */
  oldestDue(db: Kysely<Database>, at: Date): Promise<Date | null>;
}

/** Background jobs, run later by any process of the service. */
export interface Jobs {
  /**
   * Adds a job in the transaction `db`, if it is one: then the job exists exactly if the transaction is committed. A
   * job is run at least once, so its handler must be idempotent.
   */
  add<Name extends JobName>(db: Kysely<Database>, name: Name, data: JobData[Name], options?: AddOptions): Promise<void>;
}
