import { ApiError } from '#protocol/errors.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { teamAccess } from '../teams/access.ts';

/**
 * Legal hold (contract/packages.md §1): while a package is held, neither people nor its expiry end it (end.ts, expire.ts). Its
 * row is locked by whoever ends it as well, so that one of both comes first, and the other hears of it.
 */
export const holdHandlers: HandlersOf<'holdPackage' | 'liftPackageHold'> = {
  async holdPackage({ params, body }, context) {
    const { userId } = await teamAccess(context, params.team_id, 'packages.hold');
    if (body.reason.trim() === '') throw new ApiError('invalid_request', { detail: 'reason: say why, in some words.' });
    await inTransaction(context.db, async (db) => {
      const row = await db
        .selectFrom('packages')
        .select(['state', 'held_at'])
        .where('id', '=', params.package_id)
        .where('team_id', '=', params.team_id)
        .forUpdate()
        .executeTakeFirst();
      if (!row) throw new ApiError('not_found', { resource: 'package' });
      if (row.state !== 'finalized') {
        const detail = row.state === 'new' ? 'This package is not finalized yet.' : 'The files of this package have been deleted already.';
        throw new ApiError('state_conflict', { detail });
      }
      const at = context.now();
      await db
        .updateTable('packages')
        .set({ held_at: row.held_at ?? at, held_by: userId, hold_reason: body.reason.trim(), updated_at: at })
        .where('id', '=', params.package_id)
        .execute();
    });
  },

  async liftPackageHold({ params }, context) {
    await teamAccess(context, params.team_id, 'packages.hold');
    const lifted = await context.db
      .updateTable('packages')
      .set({ held_at: null, held_by: null, hold_reason: null, updated_at: context.now() })
      .where('id', '=', params.package_id)
      .where('team_id', '=', params.team_id)
      .returning('id')
      .executeTakeFirst();
    if (!lifted) throw new ApiError('not_found', { resource: 'package' });
  },
};
