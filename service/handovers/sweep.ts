import type { JobContext } from '../jobs/jobs.ts';

/** So long a page can still learn what has become of its code. */
const keptMilliseconds = 30 * 24 * 3600 * 1000;

/** Deletes the records of codes that ended long ago. */
export async function sweepHandovers({ db, now }: JobContext): Promise<void> {
  await db
    .deleteFrom('handovers')
    .where('expires_at', '<', new Date(now().getTime() - keptMilliseconds))
    .execute();
}
