import type { Services } from '../handler.ts';
import { isAddedSince } from '../jobs/scheduled.ts';

/** More than from one night to the next. */
const nightsApartMilliseconds = 25 * 3_600_000;
/** A start has enough to do, and what is tried for a moment needs no check. */
const pauseMilliseconds = 10 * 60_000;

/** Asks for the nightly check where none has come since yesterday: whatever is off at that hour would never have one. */
export async function askForMissedNight({ db, jobs, scrub, now }: Pick<Services, 'db' | 'jobs' | 'scrub' | 'now'>): Promise<void> {
  if (!scrub || (await isAddedSince(db, 'integrity.scrub', new Date(now().getTime() - nightsApartMilliseconds)))) return;
  await jobs.add(db, 'integrity.scrub', {}, { startAfter: new Date(now().getTime() + pauseMilliseconds) });
}
