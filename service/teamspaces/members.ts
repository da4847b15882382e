import { type Kysely, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { TeamspaceMembership } from '#protocol/hosted/teamspaces.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { lockTeamspace, seeTeamspace } from './access.ts';

/** Members of Teamspaces: contract/teamspaces.md §2. */
export const teamspaceMemberHandlers: HandlersOf<'addTeamspaceMembers' | 'listTeamspaceMembers' | 'removeTeamspaceMember'> = {
  addTeamspaceMembers: creation(
    ({ params }, context) => seeTeamspace(context, params.space_id, 'teamspaces.manage'),
    async ({ body }, context, space) => {
      return await inTransaction(context.db, async (trx) => {
        await lockTeamspace(trx, space.id);
        return await addMembers(trx, space, body.member_ids, context.now());
      });
    },
  ),

  async listTeamspaceMembers({ params }, context) {
    const space = await seeTeamspace(context, params.space_id, 'teamspaces.read');
    return (await membersOf(context.db, [space.id])).get(space.id) ?? [];
  },

  async removeTeamspaceMember({ params }, context) {
    const space = await seeTeamspace(context, params.space_id, 'teamspaces.manage');
    const { numDeletedRows } = await context.db
      .deleteFrom('teamspace_members')
      .where('id', '=', params.teamspace_membership_id)
      .where('teamspace_id', '=', space.id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new ApiError('not_found', { resource: 'Teamspace membership' });
    context.credentials.invalidatePackagePermissions();
  },
};

/** The members of Teamspaces, in the order in which they were added; a Teamspace without any is absent. */
export async function membersOf(db: Kysely<Database>, spaceIds: readonly string[]): Promise<Map<string, TeamspaceMembership[]>> {
  const rows = await db
    .selectFrom('teamspace_members')
    .select(['id', 'user_id', 'teamspace_id'])
    .where('teamspace_id', '=', sql<string>`any(${spaceIds}::uuid[])`)
    .orderBy('id')
    .execute();
  return Map.groupBy(
    rows.map(({ id, user_id, teamspace_id }) => ({ id, user_id, teamspace_id })),
    (row) => row.teamspace_id,
  );
}

/**
 * Adds members of the Team, by the ids of their memberships, to a Teamspace. Returns one membership per id, in that
 * order; existing memberships are kept. `not_found` names the first id that belongs to no member of the Team;
 * `over_limit` if there are too many. With an error nobody is added.
 */
export async function addMembers(
  trx: Transaction<Database>,
  space: { readonly id: string; readonly teamId: string },
  memberIds: readonly string[],
  at: Date,
): Promise<TeamspaceMembership[]> {
  const named = [...new Set(memberIds)];
  // Locked, so that a concurrent removal from the Team waits, and then removes them from the Teamspace too.
  const members = await trx
    .selectFrom('memberships')
    .select(['id', 'user_id'])
    .where('team_id', '=', space.teamId)
    .where('id', '=', sql<string>`any(${named.filter(isId)}::uuid[])`)
    .orderBy('id')
    .forKeyShare()
    .execute();
  const users = new Map(members.map((member) => [member.id, member.user_id]));
  const unknown = memberIds.findIndex((id) => !users.has(id));
  if (unknown !== -1) throw new ApiError('not_found', { resource: `member (member_ids[${unknown}])` });
  const userIds = named.map((id) => users.get(id)!);
  await sql`
    insert into teamspace_members (id, teamspace_id, user_id, created_at)
    select new.id, ${space.id}::uuid, new.user_id, ${at}::timestamptz
    from unnest(${userIds.map(newId)}::uuid[], ${userIds}::uuid[]) as new (id, user_id)
    on conflict (user_id, teamspace_id) do nothing`.execute(trx);
  const { count } = await trx
    .selectFrom('teamspace_members')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('teamspace_id', '=', space.id)
    .executeTakeFirstOrThrow();
  if (count > limits.teamspaceMembers) {
    throw new ApiError('over_limit', { detail: `A Teamspace has at most ${limits.teamspaceMembers} members.` });
  }
  const rows = await trx
    .selectFrom('teamspace_members')
    .select(['id', 'user_id'])
    .where('teamspace_id', '=', space.id)
    .where('user_id', '=', sql<string>`any(${userIds}::uuid[])`)
    .execute();
  const made = new Map(rows.map((row) => [row.user_id, row]));
  return userIds.map((userId) => made.get(userId)!);
}
