import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { portalSorts } from '#protocol/hosted/portals.ts';
import type { HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { readAttached, toPortal } from './row.ts';

type Sort = (typeof portalSorts)[number];
type SortField = Exclude<Sort, `-${string}`>;

/** The sort key of each field. Each one has an index of the Team's Portals (migration 0004). */
const orders: Readonly<Record<SortField, RawBuilder<unknown>>> = {
  name: sql`lower(portals.name) collate "C"`,
  created_at: sql`portals.created_at`,
  active: sql`portals.active`,
};

const isDescending = (sort: Sort): sort is Extract<Sort, `-${string}`> => sort.startsWith('-');

/** The ids in a comma-separated list; invalid ids match nothing. */
const idsIn = (list: string): string[] =>
  list
    .split(',')
    .map((id) => id.trim())
    .filter(isId);

/** A LIKE pattern that finds the text anywhere. */
const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The v1.0 list has no pages, so its length is limited. */
const maxListed = 1_000;

/** A Team's Portals, filtered, in a total order, paged (contract/portals.md §10). Without `sort`, newest first. */
export const listHandlers: HandlersOf<'listPortals' | 'listPortalsLegacy'> = {
  async listPortals({ params, query }, context) {
    const { db } = context;
    await teamAccess(context, params.team_id, 'integrations.manage');
    const where: RawBuilder<SqlBool>[] = [sql`portals.team_id = ${params.team_id}`];
    if (query.name) where.push(sql`portals.name ilike ${anywhere(query.name)}`);
    if (query.subdomain) where.push(sql`portals.subdomain ilike ${anywhere(query.subdomain)}`);
    if (query.tags) where.push(sql`portals.tag_id = any(${idsIn(query.tags)}::uuid[])`);
    if (query.teamspaces) where.push(sql`portals.teamspace_id = any(${idsIn(query.teamspaces)}::uuid[])`);
    const matches = sql<SqlBool>`${sql.join(where, sql` and `)}`;
    const sort = query.sort ?? '-created_at';
    const direction = isDescending(sort) ? 'desc' : 'asc';
    const { total } = await db
      .selectFrom('portals')
      .select((select) => select.fn.countAll<string>().as('total'))
      .where(matches)
      .executeTakeFirstOrThrow();
    const rows = await db
      .selectFrom('portals')
      .selectAll()
      .where(matches)
      .orderBy(orders[(isDescending(sort) ? sort.slice(1) : sort) as SortField], direction)
      .orderBy('portals.id', direction)
      .limit(query.limit)
      .offset((query.page - 1) * query.limit)
      .execute();
    const attachedTo = await readAttached(db, rows);
    return { metadata: { total: Number(total) }, records: rows.map((row) => toPortal(row, attachedTo(row))) };
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
