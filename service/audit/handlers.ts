import { ApiError } from '#protocol/errors.ts';
import type { HandlersOf } from '../handler.ts';
import { teamAccess } from '../teams/access.ts';
import { asCsv, asJsonLines } from './export.ts';
import { formatCursor, newestEntries, oldestEntries, parseCursor, selectEntries, toEntry } from './list.ts';
import { verifyChain } from './verify.ts';

/** The audit log of a Team (contract/audit-log.md §2, §3). */
export const auditHandlers: HandlersOf<'listAuditLog' | 'exportAuditLogJson' | 'exportAuditLogCsv' | 'verifyAuditLog'> = {
  async listAuditLog({ params, query }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'audit.read');
    const { cursor, limit, ...filters } = query;
    const rows = await newestEntries(context.db, teamId, filters, cursor === undefined ? null : parseCursor(cursor), limit + 1);
    const shown = rows.slice(0, limit);
    return { records: shown.map(toEntry), ...(rows.length > limit && { next: formatCursor(shown.at(-1)!) }) };
  },

  async exportAuditLogJson({ params, query }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'audit.read');
    // Wrong times are refused before the answer begins.
    selectEntries(context.db, teamId, query);
    return asJsonLines(oldestEntries(context.db, teamId, query));
  },

  async exportAuditLogCsv({ params, query }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'audit.read');
    selectEntries(context.db, teamId, query);
    return asCsv(oldestEntries(context.db, teamId, query));
  },

  async verifyAuditLog({ params, query }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'audit.read');
    const { position, hash } = query;
    if ((position === undefined) !== (hash === undefined)) {
      throw new ApiError('invalid_request', { detail: 'position and hash: give both, or neither.' });
    }
    return await verifyChain(context.db, teamId, position === undefined || hash === undefined ? null : { position, hash });
  },
};
