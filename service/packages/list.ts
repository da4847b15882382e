import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Package } from '#protocol/hosted/packages.ts';
import type { TokenClaims } from '../credentials/tokens.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';
import { may } from '../permissions.ts';
import type { TeamAccess } from '../teams/access.ts';
import { filterConditions, type PackageFilters, type PackageSort } from './filters.ts';
import { type PackageRow, selectPackages, toPackage } from './row.ts';
import { visibleTo } from './visible.ts';

type SortField = Exclude<PackageSort, `-${string}`>;

/** What each field sorts by. Every one has an index of the Team's packages (migration 0002). */
const orders: Readonly<Record<SortField, RawBuilder<unknown>>> = {
  name: sql`lower(packages.name) collate "C"`,
  created_at: sql`packages.created_at`,
  size: sql`packages.size`,
  usage_total_bytes: sql`packages.usage_total_bytes`,
  // One that never expires sorts as the latest.
  expiry: sql`packages.expiry`,
  sender: sql`lower(packages.sender) collate "C"`,
  status: sql`packages.state collate "C"`,
  teamspace_id: sql`packages.teamspace_id`,
};

const isDescending = (sort: PackageSort): sort is Extract<PackageSort, `-${string}`> => sort.startsWith('-');

export interface ListRequest {
  /** Who asks, in the Team whose packages are listed. */
  readonly viewer: TeamAccess;
  /** Of the Team's packages, which ones at all. */
  readonly scope?: RawBuilder<SqlBool>;
  readonly query: PackageFilters & { readonly sort?: PackageSort; readonly limit: number };
  /** How many records come before the page. */
  readonly skip: number;
}

/**
 * A page of a list of packages that the viewer may see: filtered, in a total order. A token to manage comes with
 * each, or, for those who may only read, a token to read its details.
 */
export async function listPackages(
  { db, tokens }: Pick<Services, 'db' | 'tokens'>,
  { viewer, scope, query, skip }: ListRequest,
): Promise<{ total: number; records: Package[] }> {
  const where = [
    sql<SqlBool>`packages.team_id = ${viewer.teamId}`,
    visibleTo(viewer.userId, may(viewer.role, 'packages.see_all')),
    ...(scope ? [scope] : []),
    ...filterConditions(query),
  ];
  const matches = sql<SqlBool>`${sql.join(where, sql` and `)}`;
  const sort = query.sort ?? '-created_at';
  const direction = isDescending(sort) ? 'desc' : 'asc';
  const field = (isDescending(sort) ? sort.slice(1) : sort) as SortField;
  const { total } = await db
    .selectFrom('packages')
    .select((select) => select.fn.countAll<string>().as('total'))
    .where(matches)
    .executeTakeFirstOrThrow();
  const rows = await selectPackages(db)
    .where(matches)
    .orderBy(orders[field], direction)
    .orderBy('packages.id', direction)
    .limit(query.limit)
    .offset(skip)
    .execute();
  return { total: Number(total), records: await Promise.all(rows.map(recordFor({ tokens }, viewer))) };
}

/** What a viewer may see in a list they may also manage, if their role manages packages at all. */
export function recordFor({ tokens }: Pick<Services, 'tokens'>, { userId, role }: TeamAccess): (row: PackageRow) => Promise<Package> {
  const variant = may(role, 'packages.manage_own') ? 'manage' : 'read';
  const claimsOf = (packageId: string): TokenClaims['package'] => ({ packageId, variant, tokenId: newId(), linkId: null, userId });
  return async (row) => toPackage(row, { accessToken: await tokens.sign('package', claimsOf(row.id)), recipients: row.recipients });
}
