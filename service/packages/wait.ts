import type { Kysely } from 'kysely';
import type { FinalizedPackages } from '#protocol/hosted/packages.ts';
import { limits } from '#protocol/limits.ts';
import { callerNow } from '../credentials/caller-now.ts';
import type { Database } from '../database/schema/database.ts';
import type { HandlersOf } from '../handler.ts';
import { may } from '../permissions.ts';
import { type TeamAccess, teamAccess } from '../teams/access.ts';
import { formatDateTime, parseRangeStart } from '../wire-times.ts';
import { visibleTo } from './visible.ts';

/** Clocks of processes differ, and a transaction takes a moment: what was finalized so shortly before is told again. */
const lookBackMilliseconds = 2_000;

/**
 * A long poll: answers as soon as a package of the Team is finalized that the caller sees, whichever process has
 * finalized it (contract/packages.md §10). Where nothing happens it costs one look.
 */
export const waitForPackages: HandlersOf<'waitForPackages'>['waitForPackages'] = async ({ params, query }, context) => {
  const { db, now, events, streamPermits } = context;
  const until = performance.now() + query.wait * 1_000;
  const since = query.after === undefined ? now() : lookBack(query.after);
  let viewer = await teamAccess(context, params.team_id, 'packages.read');
  const release = streamPermits.acquire(`wait ${viewer.userId}`);
  const waiting = events.expectFinalized(viewer.teamId);
  const gone = context.disconnection();
  try {
    for (;;) {
      const at = formatDateTime(now());
      const packages = await finalizedSince(db, viewer, since);
      const left = until - performance.now();
      if (packages.length > 0 || left <= 0 || gone.aborted || events.closed) return { at, packages };
      if (!(await waiting.wait(left, gone))) return { at, packages };
      // Whoever has waited may have another role by now, or none; their key or session may be over.
      viewer = await teamAccess(await callerNow(context), viewer.teamId, 'packages.read');
    }
  } finally {
    waiting.end();
    release();
  }
};

const lookBack = (after: string): Date => new Date(parseRangeStart(after, 'after').at.getTime() - lookBackMilliseconds);

/** The newest first. */
async function finalizedSince(db: Kysely<Database>, viewer: TeamAccess, since: Date): Promise<FinalizedPackages['packages']> {
  const rows = await db
    .selectFrom('packages')
    .select(['id', 'portal_id', 'finalized_at'])
    .where('team_id', '=', viewer.teamId)
    .where('finalized_at', '>', since)
    .where('state', '=', 'finalized')
    .where(visibleTo(viewer.userId, may(viewer.role, 'packages.see_all')))
    .orderBy('finalized_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limits.pageSize)
    .execute();
  return rows.map(({ id, portal_id, finalized_at }) => ({
    id,
    ...(portal_id !== null && { portal_id }),
    finalized_at: formatDateTime(finalized_at),
  }));
}
