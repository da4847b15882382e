import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { recordAudit } from '../audit/record.ts';
import type { HandlersOf } from '../handler.ts';
import { may } from '../permissions.ts';
import { teamAccess } from '../teams/access.ts';
import { parseRangeEnd, parseRangeStart } from '../wire-times.ts';
import { expiryWithin } from './filters.ts';
import { type Cursor, orderOf } from './orders.ts';
import { movesOf } from './state-machine.ts';
import { visibleTo } from './visible.ts';

/**
 * Packages per statement: for a Team with a million packages, a single statement would hold locks for a minute or run
 * into a timeout.
 */
const perStatement = 2_000;

type Names = 'archiveTeamPackages' | 'unarchiveTeamPackages' | 'archiveInboxPackages' | 'unarchiveInboxPackages';

/**
 * Moves the packages whose expiry lies in a range into the archive or out of it (contract/packages.md §8): all
 * packages of the Team that the caller may manage, or only those of them that were received through Portals. Works in
 * batches: if one fails, the earlier ones stay moved, and a retry moves the rest.
 */
const move =
  (event: 'archive' | 'unarchive', which: 'team' | 'inbox'): HandlersOf<Names>[Names] =>
  async ({ params, body }, context) => {
    const { db, now } = context;
    const { userId, role } = await teamAccess(context, params.team_id, 'packages.manage_own');
    const start = parseRangeStart(body.expiry_start, 'expiry_start');
    const end = parseRangeEnd(body.expiry_end, 'expiry_end');
    if (end.at < start.at) throw new ApiError('invalid_request', { detail: 'expiry_end: it lies before expiry_start.' });
    const { from, to } = movesOf(event);
    const where: RawBuilder<SqlBool>[] = [
      sql`packages.team_id = ${params.team_id}`,
      sql`packages.state = any(${from}::text[])`,
      ...expiryWithin([start, end]),
      visibleTo(userId, may(role, 'packages.manage_all')),
    ];
    if (which === 'inbox') where.push(sql`packages.through_portal`);

    const order = orderOf('expiry');
    // Before the batches, which are transactions of their own: whatever ends them, what was begun stands in the log.
    await recordAudit(db, context, params.team_id, {
      action: event === 'archive' ? 'package.archived' : 'package.unarchived',
      details: { expiry_start: body.expiry_start, expiry_end: body.expiry_end, ...(which === 'inbox' && { inbox: true }) },
    });
    let total = 0;
    for (let last: Cursor | undefined; ; ) {
      const rest = last ? [...where, order.after(last)] : where;
      const { rows } = await sql<Cursor & { moved: string }>`
        with picked as materialized (
          select id, ${order.key}::text as key from packages where ${sql.join(rest, sql` and `)}
          order by ${order.key}, id limit ${perStatement} for update
        ), moved as (
          update packages set state = ${to}, updated_at = ${now()}::timestamptz from picked where packages.id = picked.id returning 1
        )
        select id, key, count(*) over () as moved from picked order by key::timestamptz desc, id desc limit 1`.execute(db);
      const [furthest] = rows;
      if (!furthest) return { total_updated: total };
      total += Number(furthest.moved);
      last = furthest;
    }
  };

export const bulkArchiveHandlers: HandlersOf<Names> = {
  archiveTeamPackages: move('archive', 'team'),
  unarchiveTeamPackages: move('unarchive', 'team'),
  archiveInboxPackages: move('archive', 'inbox'),
  unarchiveInboxPackages: move('unarchive', 'inbox'),
};
