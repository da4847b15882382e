import type { JobHandlersOf } from '../jobs/context.ts';
import { tellNotices } from './tell.ts';

/** What people are told of a package: contract/packages.md §12. */
export const noticeJobs: JobHandlersOf<'notices.tell'> = { 'notices.tell': tellNotices };
