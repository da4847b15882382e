import { formatCursor, parseCursor } from '../audit/list.ts';
import type { HandlersOf } from '../handler.ts';
import { operatorAccess } from './access.ts';
import { newestActs, toLogEntry } from './log.ts';
import { readOverview } from './overview.ts';

/** What operators of the service see and do (contract/operator.md §1, §2, §3). */
export const operatorHandlers: HandlersOf<'serviceOverview' | 'listOperatorLog'> = {
  async serviceOverview(_, context) {
    await operatorAccess(context);
    return await readOverview(context);
  },

  async listOperatorLog({ query: { cursor, limit } }, context) {
    await operatorAccess(context);
    const rows = await newestActs(context.db, cursor === undefined ? null : parseCursor(cursor), limit + 1);
    const shown = rows.slice(0, limit);
    return { records: shown.map(toLogEntry), ...(rows.length > limit && { next: formatCursor(shown.at(-1)!) }) };
  },
};
