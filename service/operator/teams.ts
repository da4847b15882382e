import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { OperatedTeam } from '#protocol/hosted/operator-teams.ts';
import type { TeamState } from '../accounts/team-state.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { formatDateTime } from '../wire-times.ts';
import { type Operator, operatorAccess } from './access.ts';
import { byCall } from './log.ts';
import { changeTeamState } from './team-state.ts';

/** Teams as operators see them (contract/operator.md §4). */
export const operatorTeamHandlers: HandlersOf<'listOperatedTeams' | 'suspendTeam' | 'reactivateTeam'> = {
  async listOperatedTeams({ query: { search, state, cursor, limit } }, context) {
    await operatorAccess(context);
    if (cursor !== undefined && !isId(cursor)) {
      throw new ApiError('invalid_request', { detail: 'cursor: this is not the `next` of an answer.' });
    }
    const where = [
      ...(search === undefined || search === '' ? [] : [isSearched(search)]),
      ...(state === undefined ? [] : [sql`teams.state = ${state}`]),
      ...(cursor === undefined ? [] : [sql`teams.id < ${cursor}::uuid`]),
    ];
    const rows = await readTeams(context.indexScanPool, sql.join([sql`true`, ...where], sql` and `), limit + 1);
    const shown = rows.slice(0, limit);
    return { records: shown, ...(rows.length > limit && { next: shown.at(-1)!.id }) };
  },

  async suspendTeam({ params, body }, context) {
    return await changed(context, await operatorAccess(context), params.team_id, 'inactive', { reason: body.reason });
  },

  async reactivateTeam({ params }, context) {
    return await changed(context, await operatorAccess(context), params.team_id, 'active', {});
  },
};

const isSearched = (text: string) => {
  const part = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`(teams.name ilike ${part} or teams.subdomain ilike ${part} or teams.id::text = ${text.toLowerCase()})`;
};

interface TeamRow extends Omit<OperatedTeam, 'created_at' | 'members' | 'packages' | 'bytes'> {
  readonly created_at: Date;
  readonly members: string;
  readonly packages: string;
  readonly bytes: string;
}

/** The newest Teams first. What their packages take is summed over an index alone. */
async function readTeams(db: Kysely<Database>, where: ReturnType<typeof sql>, limit: number): Promise<OperatedTeam[]> {
  const { rows } = await sql<TeamRow>`
    select page.*, used.packages, used.bytes,
      (select count(*) from memberships where team_id = page.id) as members,
      array(
        select users.email from memberships join users on users.id = memberships.user_id
        where memberships.team_id = page.id and memberships.role = 'owner' order by memberships.id limit 3
      ) as owners
    from (select id, name, subdomain, state, created_at from teams where ${where} order by id desc limit ${limit}) as page
    cross join lateral (
      select count(*) as packages, coalesce(sum(usage_total_bytes), 0) as bytes
      from packages where team_id = page.id and usage_total_bytes > 0
    ) as used
    order by page.id desc`.execute(db);
  return rows.map((row) => ({
    ...row,
    created_at: formatDateTime(row.created_at),
    members: Number(row.members),
    packages: Number(row.packages),
    bytes: Number(row.bytes),
  }));
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
  const [team] = await readTeams(db, sql`teams.id = ${teamId}::uuid`, 1);
  if (!team) throw new ApiError('not_found', { resource: 'Team' });
  return team;
}
