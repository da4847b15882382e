import { ApiError } from '#protocol/errors.ts';
import { isTimeZone } from '../accounts/time-zone.ts';
import type { HandlersOf } from '../handler.ts';
import { may } from '../permissions.ts';
import { teamAccess } from '../teams/access.ts';
import { finalizedByDay, latestDownloads, type Seen, soonExpiring, storageUsed, transfersUnderWay } from './queries.ts';

/** PostgreSQL: `invalid_parameter_value`. */
const invalidParameter = '22023';

/** What goes on in a Team, for its first page (contract/packages.md §11). */
export const overviewHandlers: HandlersOf<'teamOverview'> = {
  async teamOverview({ params, query }, context) {
    const { db, indexScanPool, caches, now } = context;
    const { teamId, userId, role } = await teamAccess(context, params.team_id, 'packages.read');
    const unknownZone = new ApiError('invalid_request', { detail: 'time_zone must be a name of the IANA database, like Europe/Berlin.' });
    if (!isTimeZone(query.time_zone)) throw unknownZone;
    const seen: Seen = { teamId, userId, seesAll: may(role, 'packages.see_all'), at: now() };
    const [days, storage, expiring, transfers, downloads] = await Promise.all([
      finalizedByDay(db, seen, query.time_zone).catch((error: { readonly code?: unknown }) => {
        // A name that Node knows and this PostgreSQL does not.
        throw error.code === invalidParameter ? unknownZone : error;
      }),
      caches.storageTotals.get(`${teamId} ${userId} ${seen.seesAll}`, () => storageUsed(indexScanPool, seen)),
      soonExpiring(db, seen),
      transfersUnderWay(db, seen),
      latestDownloads(db, seen),
    ]);
    return { days, storage, expiring, transfers, downloads };
  },
};
