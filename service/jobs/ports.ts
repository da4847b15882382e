import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { JobData, JobName } from './kinds.ts';

interface AddOptions {
  /** Earliest start time. */
  readonly startAfter?: Date;
}

/** Background jobs, run later by any process of the service. */
export interface Jobs {
  /**
   * Adds a job in the transaction `db`, if it is one: then the job exists exactly if the transaction is committed. A
   * job is run at least once, so its handler must be idempotent.
   */
  add<Name extends JobName>(db: Kysely<Database>, name: Name, data: JobData[Name], options?: AddOptions): Promise<void>;
}
