import { randomUUID } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Package, PackageState } from '#protocol/hosted/packages.ts';
import type { TokenClaims } from '../credentials/tokens.ts';
import { plannedEachTime } from '../database/prepared.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, Services } from '../handler.ts';
import { may } from '../permissions.ts';
import type { TeamAccess } from '../teams/access.ts';
import { defaultStates, filterConditions, inTeamspaces, type PackageFilters } from './filters.ts';
import { anchorBefore, type Count, type LargeList, shouldScanIndex, smallList } from './large-lists.ts';
import { type Cursor, keyOf, orderOf, type PackageSort } from './orders.ts';
import { packageColumns, type RecordRow, toPackage } from './row.ts';
import { visibleTo } from './visible.ts';

/** The scope of a list, before filters. */
type ListScope = { readonly of: 'team' } | { readonly of: 'portal' | 'teamspace'; readonly id: string };

interface ListRequest {
  /** The user who asks, in the Team whose packages are listed. */
  readonly viewer: TeamAccess;
  readonly scope: ListScope;
  readonly query: PackageFilters & { readonly sort?: PackageSort; readonly limit: number };
  /** Number of records before the page. */
  readonly skip: number;
}

type ListContext = Pick<Context, 'db' | 'indexScanPool' | 'tokens' | 'caches' | 'now' | 'log'>;

/**
 * A page of a list of packages that the viewer may see: filtered, in a total order (decision 0011). Each record
 * includes a management token, or, for viewers who may only read, a token to read its details. For a list of more
 * than `smallList` packages, the total and the start of a later page may be some seconds old.
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
  const { caches } = context;
  const matches = conditionOf(request);
  const name = nameOf(request);
  const known = caches.largeLists.get(name, context.now());
  if (!known) {
    const small = await smallPage(context, request, matches);
    if (small) return small;
  }
  const count: Count = (how) => (how === 'waited for' ? countAll(context, matches) : countInBackground(context, matches));
  const list = known
    ? await caches.largeLists.renew(name, known, context.now(), count, context.log)
    : await caches.largeLists.begin(name, context.now(), count);
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

/** The cache key of a list: everything that decides which packages are in it. */
function nameOf({ viewer, scope, query }: ListRequest): string {
  const { page: _page, limit: _limit, sort: _sort, ...filters } = query as ListRequest['query'] & { readonly page?: number };
  return JSON.stringify([viewer.teamId, viewer.userId, may(viewer.role, 'packages.see_all'), scope, Object.entries(filters).sort()]);
}

/** The page and the exact total of a small list; null for a large one. */
async function smallPage({ db }: ListContext, { query, skip }: ListRequest, matches: RawBuilder<SqlBool>): Promise<FoundPage | null> {
  const { key, direction } = orderOf(query.sort ?? '-created_at');
  // Returns at least one row, which holds the total: if the page is empty, it is a row without a package.
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

/**
 * The same count by one PostgreSQL process instead of several: when a client reads a list in a loop, its next pages
 * compete with the count.
 */
async function countInBackground(context: ListContext, matches: RawBuilder<SqlBool>): Promise<number> {
  return await inTransaction(context.db, async (db) => {
    await sql`set local max_parallel_workers_per_gather = 0`.execute(db);
    return await countAll({ ...context, db }, matches);
  });
}

/**
 * In the order of senders, one sender's packages are in the order of their ids, so PostgreSQL might scan all ids that
 * exist. Therefore this list is planned each time.
 */
const isOneSender = ({ sender }: PackageFilters, sort: PackageSort): boolean => Boolean(sender) && sort.endsWith('sender');

/**
 * A scan that takes longer stores an anchor for the start of the list, so that the next one does not begin before the
 * first match.
 */
const slowMilliseconds = 25;

/** Scans the order's index from the nearest known anchor, and stores anchors for the start of this page and the next. */
async function largePage(
  { db, indexScanPool }: ListContext,
  { query, skip }: ListRequest,
  matches: RawBuilder<SqlBool>,
  { anchors, total }: LargeList,
): Promise<RecordRow[]> {
  if (skip >= total) return [];
  const sort = query.sort ?? '-created_at';
  const order = orderOf(sort);
  const start = anchorBefore(anchors, sort, skip);
  const where = [matches, ...(start.cursor ? [order.after(start.cursor)] : []), ...statesWithin(sort, query.status)];
  // Reads one extra row before the page, if there is one: this page begins after it.
  const lead = skip > start.skip ? 1 : 0;
  const scansIndex = shouldScanIndex(total, query.name !== undefined) && !isOneSender(query, sort);
  const begun = performance.now();
  const { rows } = await sql<RecordRow & { readonly cursor_key: string }>`${scansIndex ? sql`` : plannedEachTime}
    with page as (
      select packages.id, ${order.key} as key from packages where ${sql.join(where, sql` and `)}
      order by ${order.key} ${order.direction}, packages.id ${order.direction}
      limit ${query.limit + lead} offset ${skip - start.skip - lead})
    select page.key::text as cursor_key, ${packageColumns} from page join packages on packages.id = page.id
    order by page.key ${order.direction}, page.id ${order.direction}`.execute(scansIndex ? indexScanPool : db);
  const cursorOf = (row: (typeof rows)[number]): Cursor => ({ key: row.cursor_key, id: row.id });
  const remember = (at: number, cursor: Cursor) => anchors.set(`${sort} ${at}`, { sort, skip: at, cursor });
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  if (lead) remember(skip, cursorOf(first));
  // There is nothing to show before the first match, and new packages are not added there either.
  else if (!start.cursor && performance.now() - begun > slowMilliseconds) remember(0, order.before(cursorOf(first)));
  if (rows.length > lead) remember(skip + rows.length - lead, cursorOf(last));
  return rows.slice(lead);
}

/** In the order of states, states that are not requested are contiguous and can be skipped. */
function statesWithin(sort: PackageSort, status: readonly PackageState[] = defaultStates): RawBuilder<SqlBool>[] {
  if (!sort.endsWith('status') || status.length === 0) return [];
  const sorted = status.toSorted();
  return [sql`${keyOf.status} between ${sorted[0]} and ${sorted.at(-1)}`];
}

/** One package as the lists have it; undefined if there is none that the viewer sees. */
export async function findPackage(
  context: Pick<Context, 'db' | 'tokens'>,
  viewer: TeamAccess,
  packageId: string,
): Promise<Package | undefined> {
  const { rows } = await sql<RecordRow>`
    select ${packageColumns} from packages
    where packages.id = ${packageId} and packages.team_id = ${viewer.teamId}
      and ${visibleTo(viewer.userId, may(viewer.role, 'packages.see_all'))}`.execute(context.db);
  return rows[0] && (await recordFor(context, viewer)(rows[0]));
}

/** Makes records with a management token if the viewer's role may manage packages, and with a read token otherwise. */
export function recordFor({ tokens }: Pick<Services, 'tokens'>, { userId, role }: TeamAccess): (row: RecordRow) => Promise<Package> {
  const variant = may(role, 'packages.manage_own') ? 'manage' : 'read';
  const claimsOf = (packageId: string): TokenClaims['package'] => ({ packageId, variant, tokenId: randomUUID(), linkId: null, userId });
  return async (row) =>
    toPackage(row, { accessToken: await tokens.sign('package', claimsOf(row.id)), recipients: row.recipients, ofTeam: true });
}
