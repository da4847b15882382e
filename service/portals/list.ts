import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { portalSorts } from '#protocol/hosted/portals.ts';
import { countUpTo } from '../bounded-count.ts';
import { containing } from '../database/patterns.ts';
import type { HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { formatNext, parseAfter } from '../keyset.ts';
import { teamAccess } from '../teams/access.ts';
import { readAttached, toPortal } from './row.ts';

type Sort = (typeof portalSorts)[number];
type SortField = Exclude<Sort, `-${string}`>;

interface Order {
  /** What is sorted by. Each one has an index of the Team's Portals (migration 0004). */
  readonly key: RawBuilder<unknown>;
  /** The key as `next` says it, whether a text could be one, and the key that it says. */
  readonly text: RawBuilder<string>;
  readonly isKey: (text: string) => boolean;
  readonly from: (text: string) => RawBuilder<unknown>;
}

const orders: Readonly<Record<SortField, Order>> = {
  name: {
    key: sql`lower(portals.name) collate "C"`,
    text: sql`lower(portals.name)`,
    isKey: () => true,
    from: (text) => sql`${text}::text collate "C"`,
  },
  created_at: {
    key: sql`portals.created_at`,
    text: sql`(extract(epoch from portals.created_at) * 1000)::bigint::text`,
    isKey: (text) => /^\d{1,14}$/.test(text),
    from: (text) => sql`${new Date(Number(text))}::timestamptz`,
  },
  active: {
    key: sql`portals.active`,
    text: sql`portals.active::text`,
    isKey: (text) => text === 'true' || text === 'false',
    from: (text) => sql`${text}::boolean`,
  },
};

const isDescending = (sort: Sort): sort is Extract<Sort, `-${string}`> => sort.startsWith('-');

/** The ids in a comma-separated list; invalid ids match nothing. */
const idsIn = (list: string): string[] =>
  list
    .split(',')
    .map((id) => id.trim())
    .filter(isId);

/** Whether a row comes after the last one of the page before, in the same order. Error: `invalid_request`. */
function isAfter(after: string, sort: Sort, { key, isKey, from }: Order): RawBuilder<SqlBool> {
  const [, text = '', id] = parseAfter(
    after,
    ([ofSort, ofKey = '', ofId = '', ...more]) => ofSort === sort && isKey(ofKey) && isId(ofId) && more.length === 0,
  );
  return sql`(${key}, portals.id) ${isDescending(sort) ? sql`<` : sql`>`} (${from(text)}, ${id}::uuid)`;
}

/** The v1.0 list has no pages, so its length is limited. */
const maxListed = 1_000;

/** A Team's Portals, filtered, in a total order, paged (contract/portals.md §10). Without `sort`, newest first. */
export const listHandlers: HandlersOf<'listPortals' | 'listPortalsLegacy'> = {
  async listPortals({ params, query }, context) {
    const { db } = context;
    await teamAccess(context, params.team_id, 'integrations.manage');
    const where: RawBuilder<SqlBool>[] = [sql`portals.team_id = ${params.team_id}`];
    if (query.name) where.push(sql`portals.name ilike ${containing(query.name)}`);
    if (query.subdomain) where.push(sql`portals.subdomain ilike ${containing(query.subdomain)}`);
    if (query.tags) where.push(sql`portals.tag_id = any(${idsIn(query.tags)}::uuid[])`);
    if (query.teamspaces) where.push(sql`portals.teamspace_id = any(${idsIn(query.teamspaces)}::uuid[])`);
    const matches = sql<SqlBool>`${sql.join(where, sql` and `)}`;
    const sort = query.sort ?? '-created_at';
    const descends = isDescending(sort);
    const direction = descends ? 'desc' : 'asc';
    const order = orders[(descends ? sort.slice(1) : sort) as SortField];
    const metadata = await countUpTo(db, sql`from portals where ${matches}`, query.count_up_to);
    const found = await db
      .selectFrom('portals')
      .selectAll()
      .select(order.text.as('key_text'))
      .where(query.after ? sql<SqlBool>`${matches} and ${isAfter(query.after, sort, order)}` : matches)
      .orderBy(order.key, direction)
      .orderBy('portals.id', direction)
      // One more says whether there is a next page.
      .limit(query.limit + 1)
      .offset(query.after ? 0 : (query.page - 1) * query.limit)
      .execute();
    const rows = found.slice(0, query.limit);
    const attachedTo = await readAttached(db, rows);
    const last = rows.at(-1);
    return {
      metadata,
      records: rows.map((row) => toPortal(row, attachedTo(row))),
      next: found.length > rows.length && last ? formatNext([sort, last.key_text, last.id]) : '',
    };
  },

  async listPortalsLegacy({ params }, context) {
    const { db } = context;
    await teamAccess(context, params.team_id, 'integrations.manage');
    const rows = await db
      .selectFrom('portals')
      .selectAll()
      .where('team_id', '=', params.team_id)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(maxListed)
      .execute();
    const attachedTo = await readAttached(db, rows);
    return rows.map((row) => toPortal(row, attachedTo(row)));
  },
};
