import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { JobData, JobName } from './kinds.ts';

export interface AddOptions {
  /** Not before then. */
  readonly startAfter?: Date;
}

/** Work to be done later, by any process of the service. */
export interface Jobs {
  /**
   * Adds a job in the transaction `db`, if it is one: then the job exists exactly if the transaction is
   * committed. It is done at least once, so doing it again must do no harm.
   */
  add<Name extends JobName>(db: Kysely<Database>, name: Name, data: JobData[Name], options?: AddOptions): Promise<void>;
}
