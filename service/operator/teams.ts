import { type RawBuilder, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { OperatedTeam } from '#protocol/hosted/operator-teams.ts';
import type { TeamState } from '../accounts/team-state.ts';
import { containing } from '../database/patterns.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { monthOf, type QuotaColumns, quotaColumns, toQuotas, usedShare } from '../quotas/read.ts';
import { formatDateTime } from '../wire-times.ts';
import { type Operator, operatorAccess } from './access.ts';
import { byCall } from './log.ts';
import { setTeamQuotas } from './team-quotas.ts';
import { changeTeamState } from './team-state.ts';

/** Teams as operators see them (contract/operator.md §4). */
export const operatorTeamHandlers: HandlersOf<'listOperatedTeams' | 'suspendTeam' | 'reactivateTeam' | 'setTeamQuotas'> = {
  async listOperatedTeams({ query: { search, state, sort, cursor, limit } }, context) {
    await operatorAccess(context);
    const order = sort === 'usage' ? byUsage(monthOf(context.now())) : byAge;
    const where = [
      ...(search === undefined || search === '' ? [] : [isSearched(search)]),
      ...(state === undefined ? [] : [sql`teams.state = ${state}`]),
      ...(cursor === undefined ? [] : [order.after(cursor)]),
    ];
    const rows = await readTeams(context, sql.join([sql`true`, ...where], sql` and `), order, limit + 1);
    const shown = rows.slice(0, limit);
    return { records: shown.map(({ team }) => team), ...(rows.length > limit && { next: shown.at(-1)!.cursor }) };
  },

  async setTeamQuotas({ params, body }, context) {
    const { db } = context;
    const origin = byCall(context, await operatorAccess(context));
    const team = await setTeamQuotas(db, params.team_id, body, origin);
    if (!team) throw new ApiError('not_found', { resource: 'Team' });
    return await oneTeam(context, params.team_id);
  },

  async suspendTeam({ params, body }, context) {
    return await changed(context, await operatorAccess(context), params.team_id, 'inactive', { reason: body.reason });
  },

  async reactivateTeam({ params }, context) {
    return await changed(context, await operatorAccess(context), params.team_id, 'active', {});
  },
};

const isSearched = (text: string) => {
  const part = containing(text);
  return sql`(teams.name ilike ${part} or teams.subdomain ilike ${part} or teams.id::text = ${text.toLowerCase()})`;
};

interface TeamRow extends Omit<OperatedTeam, 'created_at' | 'members' | 'packages' | 'bytes' | 'quotas'>, QuotaColumns {
  readonly created_at: Date;
  readonly members: string;
  readonly packages: string;
  readonly bytes: string;
  readonly cursor: string;
}

/** An order of Teams: its columns of `page`, what comes after a cursor, and which Teams are in it. */
interface Order {
  readonly by: RawBuilder<unknown>;
  readonly cursor: RawBuilder<unknown>;
  readonly only: RawBuilder<unknown>;
  /** Errors: `invalid_request`. */
  after(cursor: string): RawBuilder<unknown>;
}

const notACursor = () => new ApiError('invalid_request', { detail: 'cursor: this is not the `next` of an answer.' });

const byAge: Order = {
  by: sql`teams.id desc`,
  cursor: sql`teams.id::text`,
  only: sql`true`,
  after(cursor) {
    if (!isId(cursor)) throw notACursor();
    return sql`teams.id < ${cursor}::uuid`;
  },
};

/** The largest share of a limit first: there are few Teams with limits, so all of them are looked at. */
function byUsage(month: string): Order {
  const share = usedShare(month);
  return {
    by: sql`${share} desc, teams.id desc`,
    cursor: sql`concat(${share}, ' ', teams.id)`,
    only: sql`quotas.holder_id is not null`,
    after(cursor) {
      const [, used, id] = /^(\d{1,24}(?:\.\d{1,24})?) (\S+)$/.exec(cursor) ?? [];
      if (used === undefined || id === undefined || !isId(id)) throw notACursor();
      return sql`(${share}, teams.id) < (${used}::numeric, ${id}::uuid)`;
    },
  };
}

/** What a Team's packages take is summed over an index alone. */
async function readTeams(
  { indexScanPool, now }: Pick<Context, 'indexScanPool' | 'now'>,
  where: RawBuilder<unknown>,
  { by, cursor, only }: Order,
  limit: number,
): Promise<{ readonly team: OperatedTeam; readonly cursor: string }[]> {
  const { rows } = await sql<TeamRow>`
    select page.*, used.packages, used.bytes,
      (select count(*) from memberships where team_id = page.id) as members,
      array(
        select users.email from memberships join users on users.id = memberships.user_id
        where memberships.team_id = page.id and memberships.role = 'owner' order by memberships.id limit 3
      ) as owners
    from (
      select teams.id, name, subdomain, state, created_at, ${quotaColumns(monthOf(now()))}, ${cursor} as cursor, row_number() over (order by ${by}) as rank
      from teams left join quotas on quotas.holder_id = teams.id
      where ${only} and ${where} order by ${by} limit ${limit}
    ) as page
    cross join lateral (
      select count(*) as packages, coalesce(sum(usage_total_bytes), 0) as bytes
      from packages where team_id = page.id and usage_total_bytes > 0
    ) as used
    order by page.rank`.execute(indexScanPool);
  return rows.map((row) => ({
    cursor: row.cursor,
    team: {
      ...{ id: row.id, name: row.name, subdomain: row.subdomain, state: row.state, owners: row.owners },
      created_at: formatDateTime(row.created_at),
      members: Number(row.members),
      packages: Number(row.packages),
      bytes: Number(row.bytes),
      quotas: toQuotas(row),
    },
  }));
}

/** Errors: `not_found`. */
async function oneTeam(context: Pick<Context, 'indexScanPool' | 'now'>, teamId: string): Promise<OperatedTeam> {
  const [found] = await readTeams(context, sql`teams.id = ${teamId}::uuid`, byAge, 1);
  if (!found) throw new ApiError('not_found', { resource: 'Team' });
  return found.team;
}

async function changed(
  context: Context,
  operator: Operator,
  teamId: string,
  state: TeamState,
  details: { readonly reason?: string },
): Promise<OperatedTeam> {
  const { db, credentials } = context;
  const origin = byCall(context, operator);
  await inTransaction(db, (trx) => changeTeamState(trx, teamId, state, origin, details));
  credentials.invalidateAll();
  return await oneTeam(context, teamId);
}
