import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { AuditEntry } from '#protocol/hosted/audit.ts';
import type { Database } from '../database/schema/database.ts';
import { isId } from '../ids.ts';
import { formatDateTime, parseRangeEnd, parseRangeStart } from '../wire-times.ts';
import type { AuditRow } from './hash.ts';

/** What a caller asks for, as the API has it. */
export interface AuditFilters {
  readonly actor_id?: string;
  readonly action?: string;
  readonly target_id?: string;
  readonly from?: string;
  readonly to?: string;
}

interface Cursor {
  readonly at: Date;
  readonly id: string;
}

export type ChainedRow = AuditRow & { readonly position: number | null; readonly hash: Buffer | null };

/** Entries of a Team with their places in the chain. Errors: `invalid_request`. */
export function selectEntries(db: Kysely<Database>, teamId: string, filters: AuditFilters) {
  let query = db
    .selectFrom('audit_entries')
    .leftJoin('audit_chain', 'audit_chain.entry_id', 'audit_entries.id')
    .selectAll('audit_entries')
    .select(['audit_chain.position', 'audit_chain.hash'])
    .where('audit_entries.team_id', '=', teamId);
  const { actor_id: actor, action, target_id: target, from, to } = filters;
  if (actor !== undefined) query = query.where('actor_id', '=', isId(actor) ? actor : '00000000-0000-0000-0000-000000000000');
  if (target !== undefined) query = query.where('target_id', '=', target);
  if (action !== undefined) {
    // `member` stands for all actions `member.…`.
    query = action.includes('.')
      ? query.where(sql<boolean>`action = ${action}`)
      : query.where(sql<boolean>`action like ${`${action.replaceAll(/[\\%_]/g, '\\$&')}.%`}`);
  }
  for (const bound of [from === undefined ? null : parseRangeStart(from, 'from'), to === undefined ? null : parseRangeEnd(to, 'to')]) {
    if (bound) query = query.where('at', bound.op, bound.at);
  }
  return query;
}

/** The newest entries, or those older than `after`. */
export async function newestEntries(
  db: Kysely<Database>,
  teamId: string,
  filters: AuditFilters,
  after: Cursor | null,
  limit: number,
): Promise<readonly ChainedRow[]> {
  let query = selectEntries(db, teamId, filters).orderBy('at', 'desc').orderBy('id', 'desc').limit(limit);
  if (after) query = query.where(sql<boolean>`(at, id) < (${after.at}::timestamptz, ${after.id}::uuid)`);
  return await query.execute();
}

/** All entries from the oldest on, read a page at a time. */
export async function* oldestEntries(
  db: Kysely<Database>,
  teamId: string,
  filters: AuditFilters,
  page = 1_000,
): AsyncGenerator<readonly ChainedRow[]> {
  for (let last: Cursor | null = null; ; ) {
    let query = selectEntries(db, teamId, filters).orderBy('at').orderBy('id').limit(page);
    if (last) query = query.where(sql<boolean>`(at, id) > (${last.at}::timestamptz, ${last.id}::uuid)`);
    const rows: readonly ChainedRow[] = await query.execute();
    if (rows.length > 0) yield rows;
    if (rows.length < page) return;
    last = rows.at(-1)!;
  }
}

export const formatCursor = ({ at, id }: Cursor): string => `${at.getTime()}.${id}`;

/** Errors: `invalid_request`. */
export function parseCursor(cursor: string): Cursor {
  const [time = '', id = '', ...more] = cursor.split('.');
  const at = new Date(/^\d{1,15}$/.test(time) ? Number(time) : Number.NaN);
  if (more.length > 0 || !isId(id) || Number.isNaN(at.getTime())) {
    throw new ApiError('invalid_request', { detail: 'cursor: this is not the `next` of an answer.' });
  }
  return { at, id };
}

export function toEntry(row: ChainedRow): AuditEntry {
  return {
    id: row.id,
    at: formatDateTime(row.at),
    action: row.action,
    actor: {
      kind: row.actor_kind,
      ...(row.actor_id !== null && { id: row.actor_id }),
      ...(row.api_key_id !== null && { api_key_id: row.api_key_id }),
      name: row.actor_name,
    },
    address: row.address,
    user_agent: row.user_agent,
    ...(row.target_kind !== '' && { target: { kind: row.target_kind, id: row.target_id, name: row.target_name } }),
    details: row.details,
    ...(row.position !== null && row.hash !== null && { position: row.position, hash: row.hash.toString('hex') }),
  };
}
