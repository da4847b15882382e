import { randomUUID } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Package, PackageState } from '#protocol/hosted/packages.ts';
import type { TokenClaims } from '../credentials/tokens.ts';
import { plannedEachTime } from '../database/prepared.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, Services } from '../handler.ts';
import { may } from '../permissions.ts';
import type { TeamAccess } from '../teams/access.ts';
import { filterConditions, inTeamspaces, type PackageFilters, usualStates } from './filters.ts';
import { anchorBefore, type Count, isWalked, type LargeList, smallList } from './large-lists.ts';
import { keyOf, orderOf, type PackageSort, type Place } from './orders.ts';
import { packageColumns, type RecordRow, toPackage } from './row.ts';
import { visibleTo } from './visible.ts';

/** Of a Team's packages, which ones at all. */
export type ListScope = { readonly of: 'team' } | { readonly of: 'portal' | 'teamspace'; readonly id: string };

export interface ListRequest {
  /** Who asks, in the Team whose packages are listed. */
  readonly viewer: TeamAccess;
  readonly scope: ListScope;
  readonly query: PackageFilters & { readonly sort?: PackageSort; readonly limit: number };
  /** How many records come before the page. */
  readonly skip: number;
}

type ListContext = Pick<Context, 'db' | 'walks' | 'tokens' | 'memory' | 'now' | 'log'>;

/**
 * A page of a list of packages that the viewer may see: filtered, in a total order (decision 0011). A token to manage
 * comes with each, or, for those who may only read, a token to read its details. Of a list of more than `smallList`
 * packages the total, and where a page further on begins, may be some seconds old.
 */
export async function listPackages(context: ListContext, request: ListRequest): Promise<{ total: number; records: Package[] }> {
  const { rows, total } = await findPage(context, request);
  return { total, records: await Promise.all(rows.map(recordFor(context, request.viewer))) };
}

interface FoundPage {
  readonly rows: readonly RecordRow[];
  readonly total: number;
}

async function findPage(context: ListContext, request: ListRequest): Promise<FoundPage> {
  const { memory } = context;
  const matches = conditionOf(request);
  const name = nameOf(request);
  const known = memory.largeLists.get(name, context.now());
  if (!known) {
    const small = await smallPage(context, request, matches);
    if (small) return small;
  }
  const count: Count = (how) => (how === 'waited for' ? countAll(context, matches) : countAside(context, matches));
  const list = known
    ? await memory.largeLists.renew(name, known, context.now(), count, context.log)
    : await memory.largeLists.begin(name, context.now(), count);
  const rows = await largePage(context, request, matches, list);
  return { rows, total: list.total };
}

function conditionOf({ viewer, scope, query }: ListRequest): RawBuilder<SqlBool> {
  const where = [
    sql<SqlBool>`packages.team_id = ${viewer.teamId}`,
    visibleTo(viewer.userId, may(viewer.role, 'packages.see_all')),
    ...(scope.of === 'portal' ? [sql<SqlBool>`packages.portal_id = ${scope.id}`] : []),
    ...(scope.of === 'teamspace' ? [inTeamspaces([scope.id])] : []),
    ...filterConditions(query),
  ];
  return sql.join(where, sql` and `) as RawBuilder<SqlBool>;
}

/** What a list is remembered by: all that decides which packages are in it. */
function nameOf({ viewer, scope, query }: ListRequest): string {
  const { page: _page, limit: _limit, sort: _sort, ...filters } = query as ListRequest['query'] & { readonly page?: number };
  return JSON.stringify([viewer.teamId, viewer.userId, may(viewer.role, 'packages.see_all'), scope, Object.entries(filters).sort()]);
}

/** The page and the exact total of a list that is not large; null of one that is. */
async function smallPage({ db }: ListContext, { query, skip }: ListRequest, matches: RawBuilder<SqlBool>): Promise<FoundPage | null> {
  const { key, direction } = orderOf(query.sort ?? '-created_at');
  // One row at least, which tells the total: without a package where the page is empty.
  const { rows } = await sql<(RecordRow | { readonly id: null }) & { readonly total: string }>`${plannedEachTime}
    with found as materialized (select packages.id, ${key} as key from packages where ${matches} limit ${smallList + 1}),
      counted as (select count(*) as total from found),
      page as (select found.id, found.key from found order by key ${direction}, id ${direction} limit ${query.limit} offset ${skip})
    select counted.total, ${packageColumns} from counted left join (page join packages on packages.id = page.id) on true
    order by page.key ${direction}, page.id ${direction}`.execute(db);
  const total = Number(rows[0]!.total);
  return total > smallList ? null : { total, rows: rows.filter((row) => row.id !== null) };
}

async function countAll({ db }: ListContext, matches: RawBuilder<SqlBool>): Promise<number> {
  const { rows } = await sql<{ total: string }>`${plannedEachTime} select count(*) as total from packages where ${matches}`.execute(db);
  return Number(rows[0]!.total);
}

/** The same by one process of the database instead of all: a list is asked for in a loop, and its next pages wait meanwhile. */
async function countAside(context: ListContext, matches: RawBuilder<SqlBool>): Promise<number> {
  return await inTransaction(context.db, async (db) => {
    await sql`set local max_parallel_workers_per_gather = 0`.execute(db);
    return await countAll({ ...context, db }, matches);
  });
}

/**
 * One sender's packages in the order of senders are in the order of their ids, by which PostgreSQL might walk through all
 * that there are: that list is found each time.
 */
const isOneSender = ({ sender }: PackageFilters, sort: PackageSort): boolean => Boolean(sender) && sort.endsWith('sender');

/** A walk that takes longer is not begun at the beginning again while its list is remembered. */
const slowMilliseconds = 25;

/** Walks the order's index from the nearest place that is known, and remembers where this page and the next begin. */
async function largePage(
  { db, walks }: ListContext,
  { query, skip }: ListRequest,
  matches: RawBuilder<SqlBool>,
  { anchors, total }: LargeList,
): Promise<RecordRow[]> {
  if (skip >= total) return [];
  const sort = query.sort ?? '-created_at';
  const order = orderOf(sort);
  const start = anchorBefore(anchors, sort, skip);
  const where = [matches, ...(start.place ? [order.after(start.place)] : []), ...statesWithin(sort, query.status)];
  // One row more at the front, if there is one: after it, this page begins.
  const lead = skip > start.skip ? 1 : 0;
  const walked = isWalked(total, query.name !== undefined) && !isOneSender(query, sort);
  const begun = performance.now();
  const { rows } = await sql<RecordRow & { readonly place_key: string }>`${walked ? sql`` : plannedEachTime}
    with page as (
      select packages.id, ${order.key} as key from packages where ${sql.join(where, sql` and `)}
      order by ${order.key} ${order.direction}, packages.id ${order.direction}
      limit ${query.limit + lead} offset ${skip - start.skip - lead})
    select page.key::text as place_key, ${packageColumns} from page join packages on packages.id = page.id
    order by page.key ${order.direction}, page.id ${order.direction}`.execute(walked ? walks : db);
  const placeOf = (row: (typeof rows)[number]): Place => ({ key: row.place_key, id: row.id });
  const remember = (at: number, place: Place) => anchors.set(`${sort} ${at}`, { sort, skip: at, place });
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  if (lead) remember(skip, placeOf(first));
  // Far from where the walk began there is nothing to show: what comes in new does not come in there.
  else if (!start.place && performance.now() - begun > slowMilliseconds) remember(0, order.before(placeOf(first)));
  if (rows.length > lead) remember(skip + rows.length - lead, placeOf(last));
  return rows.slice(lead);
}

/** In the order of states those that are not asked for lie together, and need not be walked through. */
function statesWithin(sort: PackageSort, status: readonly PackageState[] = usualStates): RawBuilder<SqlBool>[] {
  if (!sort.endsWith('status') || status.length === 0) return [];
  const sorted = status.toSorted();
  return [sql`${keyOf.status} between ${sorted[0]} and ${sorted.at(-1)}`];
}

/** What a viewer may see in a list they may also manage, if their role manages packages at all. */
export function recordFor({ tokens }: Pick<Services, 'tokens'>, { userId, role }: TeamAccess): (row: RecordRow) => Promise<Package> {
  const variant = may(role, 'packages.manage_own') ? 'manage' : 'read';
  const claimsOf = (packageId: string): TokenClaims['package'] => ({ packageId, variant, tokenId: randomUUID(), linkId: null, userId });
  return async (row) => toPackage(row, { accessToken: await tokens.sign('package', claimsOf(row.id)), recipients: row.recipients });
}
