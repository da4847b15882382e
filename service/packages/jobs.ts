import { sweepFreed } from '../files/freed.ts';
import type { JobHandlersOf } from '../jobs/jobs.ts';
import { endAbandoned } from './abandon.ts';
import { expirePackages } from './expire.ts';
import { askAgain, freePackage } from './free.ts';

/** Background jobs of packages: expiry, and freeing their storage. */
export const packageJobs: JobHandlersOf<'packages.expire' | 'packages.free' | 'objects.sweep'> = {
  'packages.expire': expirePackages,
  'packages.free': freePackage,
  async 'objects.sweep'(_, context) {
    await endAbandoned(context);
    await askAgain(context);
    await sweepFreed(context);
  },
};
