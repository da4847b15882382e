import { compactSegments } from '../files/compaction.ts';
import { sweepDeletedObjects } from '../files/object-cleanup.ts';
import { sweepSegments } from '../files/segment-cleanup.ts';
import { sweepHandovers } from '../handovers/sweep.ts';
import { sweepImages } from '../images/sweep.ts';
import type { JobHandlersOf } from '../jobs/context.ts';
import { expireAbandoned } from './abandon.ts';
import { cleanUpPackage, retryStalledCleanups } from './cleanup.ts';
import { expirePackages } from './expire.ts';
import { finalizeAfterImports } from './finalize-after-imports.ts';

/** Background jobs of packages: expiry, and freeing their storage. */
export const packageJobs: JobHandlersOf<'packages.expire' | 'packages.free' | 'packages.finalize' | 'objects.sweep'> = {
  'packages.expire': expirePackages,
  'packages.free': cleanUpPackage,
  'packages.finalize': finalizeAfterImports,
  async 'objects.sweep'(_, context) {
    await expireAbandoned(context);
    await retryStalledCleanups(context);
    await sweepImages(context);
    await sweepHandovers(context);
    await sweepDeletedObjects(context);
    await sweepSegments(context);
    await compactSegments(context);
  },
};
