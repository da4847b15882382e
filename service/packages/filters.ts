import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PackageState, packageSorts } from '#protocol/hosted/packages.ts';
import { isId } from '../ids.ts';
import { endOf, startOf } from './day-range.ts';

export type PackageSort = (typeof packageSorts)[number];

/** What any of the lists of packages can be asked for (interface §4.4, §4.6, §4.8). Texts as they came in the query. */
export interface PackageFilters {
  readonly status?: readonly PackageState[];
  readonly name?: string;
  readonly sender?: string;
  readonly tags?: string;
  readonly teamspaces?: string;
  readonly created_at_start?: string;
  readonly created_at_end?: string;
  readonly expiry_start?: string;
  readonly expiry_end?: string;
  readonly extra_storage?: boolean;
}

/** Of a list that does not say which states it wants. */
export const usualStates: readonly PackageState[] = ['finalized', 'expired'];

/** The ids in a comma-separated list; what could not be one matches nothing. */
const idsIn = (list: string): string[] =>
  list
    .split(',')
    .map((id) => id.trim())
    .filter(isId);

/** Text as LIKE finds it anywhere. */
const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The conditions that a query means. Errors: `invalid_request` naming the field, for a moment that does not exist. */
export function filterConditions(query: PackageFilters): RawBuilder<SqlBool>[] {
  const where: RawBuilder<SqlBool>[] = [sql`packages.state = any(${query.status ?? usualStates}::text[])`];
  if (query.name) where.push(sql`packages.name ilike ${anywhere(query.name)}`);
  if (query.sender) where.push(sql`lower(packages.sender) = lower(${query.sender})`);
  if (query.tags) where.push(sql`packages.tag_id = any(${idsIn(query.tags)}::uuid[])`);
  if (query.teamspaces) where.push(sql`packages.teamspace_id = any(${idsIn(query.teamspaces)}::uuid[])`);
  const ranges = [
    [sql`packages.created_at`, query.created_at_start && startOf(query.created_at_start, 'created_at_start')],
    [sql`packages.created_at`, query.created_at_end && endOf(query.created_at_end, 'created_at_end')],
    [sql`packages.expiry`, query.expiry_start && startOf(query.expiry_start, 'expiry_start')],
    [sql`packages.expiry`, query.expiry_end && endOf(query.expiry_end, 'expiry_end')],
  ] as const;
  for (const [column, bound] of ranges) if (bound) where.push(sql`${column} ${sql.raw(bound.op)} ${bound.at}`);
  if (query.extra_storage !== undefined) {
    where.push(sql`(packages.unlimited_storage or packages.custom_expiry) = ${query.extra_storage}`);
  }
  return where;
}
