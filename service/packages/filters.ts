import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PackageState } from '#protocol/hosted/packages.ts';
import { containing } from '../database/patterns.ts';
import { isId } from '../ids.ts';
import { parseRangeEnd, parseRangeStart, type TimeBound } from '../wire-times.ts';
import { keyOf } from './orders.ts';

/** The filters of all package lists (contract/packages.md §5). Texts as received in the query. */
export interface PackageFilters {
  readonly status?: readonly PackageState[];
  readonly name?: string;
  readonly sender?: string;
  readonly tags?: string;
  readonly teamspaces?: string;
  readonly created_at_start?: string;
  readonly created_at_end?: string;
  readonly finalized_at_start?: string;
  readonly finalized_at_end?: string;
  readonly expiry_start?: string;
  readonly expiry_end?: string;
  readonly extra_storage?: boolean;
  readonly received?: boolean;
  readonly portals?: string;
  readonly size_min?: number;
  readonly size_max?: number;
}

/** The states of a list that does not name any. */
export const defaultStates: readonly PackageState[] = ['finalized', 'expired'];

/** The ids in a comma-separated list; invalid ids match nothing. */
const idsIn = (list: string): string[] =>
  list
    .split(',')
    .map((id) => id.trim())
    .filter(isId);

const within = (key: RawBuilder<unknown>, { op, at }: TimeBound): RawBuilder<SqlBool> => sql`${key} ${sql.raw(op)} ${at}`;

/** Packages that expire within bounds; those that never expire do not match. */
export const expiryWithin = (bounds: readonly TimeBound[]): RawBuilder<SqlBool>[] =>
  bounds.length === 0 ? [] : [...bounds.map((bound) => within(keyOf.expiry, bound)), sql`packages.expiry is not null`];

export const inTeamspaces = (ids: readonly string[]): RawBuilder<SqlBool> => sql`packages.teamspace_id = any(${ids}::uuid[])`;

/** The SQL conditions of a query. Errors: `invalid_request` naming the field, for a moment that does not exist. */
export function filterConditions(query: PackageFilters): RawBuilder<SqlBool>[] {
  const where: RawBuilder<SqlBool>[] = [sql`packages.state = any(${query.status ?? defaultStates}::text[])`];
  if (query.name) where.push(sql`packages.name ilike ${containing(query.name)}`);
  if (query.sender) where.push(sql`${keyOf.sender} = lower(${query.sender}::text) collate "C"`);
  if (query.tags) where.push(sql`packages.tag_id = any(${idsIn(query.tags)}::uuid[])`);
  if (query.teamspaces) where.push(inTeamspaces(idsIn(query.teamspaces)));
  if (query.created_at_start) where.push(within(keyOf.created_at, parseRangeStart(query.created_at_start, 'created_at_start')));
  if (query.created_at_end) where.push(within(keyOf.created_at, parseRangeEnd(query.created_at_end, 'created_at_end')));
  const finalizedAt = sql`packages.finalized_at`;
  if (query.finalized_at_start) where.push(within(finalizedAt, parseRangeStart(query.finalized_at_start, 'finalized_at_start')));
  if (query.finalized_at_end) where.push(within(finalizedAt, parseRangeEnd(query.finalized_at_end, 'finalized_at_end')));
  const expiries: TimeBound[] = [];
  if (query.expiry_start) expiries.push(parseRangeStart(query.expiry_start, 'expiry_start'));
  if (query.expiry_end) expiries.push(parseRangeEnd(query.expiry_end, 'expiry_end'));
  where.push(...expiryWithin(expiries));
  if (query.extra_storage !== undefined) {
    const extra = sql<SqlBool>`(packages.unlimited_storage or packages.custom_expiry)`;
    where.push(query.extra_storage ? extra : sql`not ${extra}`);
  }
  if (query.received !== undefined) where.push(query.received ? sql`packages.through_portal` : sql`not packages.through_portal`);
  if (query.portals) where.push(sql`packages.portal_id = any(${idsIn(query.portals)}::uuid[])`);
  if (query.size_min !== undefined) where.push(sql`packages.size >= ${query.size_min}::bigint`);
  if (query.size_max !== undefined) where.push(sql`packages.size <= ${query.size_max}::bigint`);
  return where;
}
