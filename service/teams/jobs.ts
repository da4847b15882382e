import type { JobHandlersOf } from '../jobs/jobs.ts';
import { recordStorageDays } from './storage-days.ts';

/** What is written down of Teams once a day. */
export const teamJobs: JobHandlersOf<'teams.storage_days'> = {
  'teams.storage_days': async (_, { db, now, signal }) => recordStorageDays(db, now(), signal),
};
