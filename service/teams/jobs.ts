import type { JobHandlersOf } from '../jobs/context.ts';
import { recordStorageDays } from './storage-days.ts';

/** What is written down of Teams soon after each day. */
export const teamJobs: JobHandlersOf<'teams.storage_days'> = {
  'teams.storage_days': async (_, { db, now }) => recordStorageDays(db, now()),
};
