import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { IntegrityFinding } from '#protocol/hosted/operator-failures.ts';
import type { Database } from '../database/schema/database.ts';
import type { HandlersOf } from '../handler.ts';
import { operatorAccess } from '../operator/access.ts';
import { formatDateTime } from '../wire-times.ts';

type Row = Database['integrity_findings'] & { readonly rank: number };

/** Files without their bytes come first: they are what somebody misses. */
const rank = sql<number>`array_position(array['missing', 'damaged', 'altered', 'miscounted', 'orphan', 'foreign'], kind)`;

/** What checks have found (contract/operator.md §6). Of files that are deleted since nobody needs to hear. */
export const integrityHandlers: HandlersOf<'listIntegrityFindings'> = {
  async listIntegrityFindings({ query: { cursor, limit } }, context) {
    await operatorAccess(context);
    const after = cursor === undefined ? null : parseCursor(cursor);
    const { rows } = await sql<Row>`
      select *, ${rank} as rank from integrity_findings
      where (file_id is null or exists (select from files where files.id = file_id))
        and (${after === null}::boolean or (${rank}, key) > (${after?.rank ?? 0}::integer, ${after?.key ?? ''}::text))
      order by ${rank}, key limit ${limit + 1}`.execute(context.db);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return { records: shown.map(toRecord), ...(rows.length > limit && last && { next: `${last.rank}.${last.key}` }) };
  },
};

function parseCursor(text: string): { readonly rank: number; readonly key: string } {
  const [, rank, key] = /^([1-6])\.(.{1,200})$/.exec(text) ?? [];
  if (rank === undefined) throw new ApiError('invalid_request', { detail: 'cursor: this is not the `next` of an answer.' });
  return { rank: Number(rank), key: key! };
}

const toRecord = (row: Row): IntegrityFinding => ({
  ...{ kind: row.kind, key: row.key, path: row.path, detail: row.detail, found_at: formatDateTime(row.found_at) },
  ...(row.size !== null && { size: Number(row.size) }),
  ...(row.team_id !== null && { team_id: row.team_id }),
  ...(row.package_id !== null && { package_id: row.package_id, package_name: row.package_name ?? '' }),
  ...(row.file_id !== null && { file_id: row.file_id }),
  ...(row.file_name !== null && { file_name: row.file_name }),
});
