import { type Kysely, type Selectable, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Filter, FilterRule } from '#protocol/hosted/filters.ts';
import { limits } from '#protocol/limits.ts';
import { recordAudit } from '../audit/record.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireTeamSlot } from '../teams/team-slot.ts';
import { requireUnchanged } from '../unchanged.ts';
import { formatDateTime } from '../wire-times.ts';
import { compileFilter, FilterError } from './match.ts';
import { matchMany } from './match-many.ts';

type FilterRow = Selectable<Database['filters']>;

const toFilter = ({ id, name, rules, created_at, updated_at }: Omit<FilterRow, 'team_id'>): Filter => ({
  id,
  name,
  rules: [...rules],
  created_at: formatDateTime(created_at),
  updated_at: formatDateTime(updated_at),
});

/** `invalid_request` names the wrong value. */
function compiled(rules: readonly FilterRule[]): ReturnType<typeof compileFilter> {
  try {
    return compileFilter(rules);
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError('invalid_request', { detail: error.message }, { cause: error });
    throw error;
  }
}

/** Rules in their stored form: the fields of the contract only. Errors: `invalid_request`. */
function checkedRules(rules: readonly FilterRule[]): string {
  compiled(rules);
  return JSON.stringify(rules.map(({ action, criterion, operator, values }) => ({ action, criterion, operator, values })));
}

async function filterOf(context: Context<Actor>, filterId: string): Promise<FilterRow> {
  const row = await context.db.selectFrom('filters').selectAll().where('id', '=', filterId).executeTakeFirst();
  await resourceAccess(context, 'filter', row?.team_id, 'integrations.manage');
  return row!;
}

/** A filter in use cannot be deleted: its connections would receive every file without it, which nobody asked for. */
async function refuseInUse(db: Kysely<Database>, filterId: string): Promise<void> {
  const users = await db
    .selectFrom('portal_connections')
    .innerJoin('portals', 'portals.id', 'portal_connections.portal_id')
    .select(['portals.name', sql<string>`count(*) over ()`.as('total')])
    .where('portal_connections.filter_id', '=', filterId)
    .groupBy(['portals.id', 'portals.name'])
    .orderBy('portals.name')
    .orderBy('portals.id')
    .limit(5)
    .execute();
  if (users.length === 0) return;
  const one = users.length === 1;
  const more = Number(users[0]!.total) - users.length;
  const names = `${users.map(({ name }) => `"${name}"`).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  throw new ApiError('state_conflict', {
    detail: `This filter is used by the Portal${one ? '' : 's'} ${names}. Update ${one ? 'it' : 'them'} without its filter_id first.`,
  });
}

const isForeignKeyViolation = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23503';

/** Filters: contract/filters.md §1, §3. */
export const filterHandlers: HandlersOf<'createFilter' | 'listFilters' | 'testFilter' | 'getFilter' | 'updateFilter' | 'deleteFilter'> = {
  createFilter: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    async ({ params, body }, context) => {
      const { db, now } = context;
      const rules = checkedRules(body.rules);
      const row = await inTransaction(db, async (trx) => {
        await requireTeamSlot(trx, params.team_id, {
          table: 'filters',
          most: limits.filtersPerTeam,
          detail: `A Team has at most ${limits.filtersPerTeam} filters. Delete one that is not used.`,
        });
        return await trx
          .insertInto('filters')
          .values({ id: newId(), team_id: params.team_id, name: body.name, rules, created_at: now(), updated_at: now() })
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return toFilter(row);
    },
  ),

  async listFilters({ params }, context) {
    await teamAccess(context, params.team_id, 'integrations.manage');
    const rows = await context.db
      .selectFrom('filters')
      .selectAll()
      .select(sql<string>`(select count(distinct portal_id) from portal_connections where filter_id = filters.id)`.as('portals'))
      .where('team_id', '=', params.team_id)
      .orderBy(sql`lower(name) collate "C"`)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ ...toFilter(row), portals: Number(row.portals) }));
  },

  async testFilter({ params, body }, context) {
    await teamAccess(context, params.team_id, 'integrations.manage');
    const goes = compiled(body.rules);
    // As transfers do: the name without its folders.
    const names = body.names.map((name) => name.slice(name.lastIndexOf('/') + 1));
    const characters = names.reduce((sum, { length }) => sum + length, 0);
    if (goes.steps * characters > limits.filterTestWork) {
      throw new ApiError('invalid_request', {
        detail: 'The field names has too many or too long names for rules of this size. Try fewer names, or smaller rules.',
      });
    }
    const going = await matchMany(goes, names, { signal: context.disconnection() });
    return { records: body.names.map((name, index) => ({ name, goes: going[index]! })) };
  },

  async getFilter({ params }, context) {
    return toFilter(await filterOf(context, params.filter_id));
  },

  async updateFilter({ params, body }, context) {
    const { id } = await filterOf(context, params.filter_id);
    const rules = checkedRules(body.rules);
    return await inTransaction(context.db, async (trx) => {
      const before = await trx.selectFrom('filters').select('updated_at').where('id', '=', id).forUpdate().executeTakeFirst();
      if (!before) throw new ApiError('not_found', { resource: 'filter' });
      requireUnchanged(body.expected_updated_at, before, 'The filter');
      const row = await trx
        .updateTable('filters')
        .set({ rules, updated_at: context.now(), ...(body.name !== undefined && { name: body.name }) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toFilter(row);
    });
  },

  async deleteFilter({ params }, context) {
    const { id, name, team_id: teamId } = await filterOf(context, params.filter_id);
    await refuseInUse(context.db, id);
    try {
      await inTransaction(context.db, async (trx) => {
        const { numDeletedRows } = await trx.deleteFrom('filters').where('id', '=', id).executeTakeFirst();
        const event = { action: 'filter.deleted', target: { kind: 'filter', id, name } } as const;
        if (numDeletedRows > 0n) await recordAudit(trx, context, teamId, event);
      });
    } catch (error) {
      // A Portal started to use it in between.
      if (isForeignKeyViolation(error)) await refuseInUse(context.db, id);
      throw error;
    }
  },
};
