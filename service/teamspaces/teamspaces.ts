import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { may } from '../permissions.ts';
import { teamAccess } from '../teams/access.ts';
import { isIn, seeTeamspace } from './access.ts';
import { addMembers, membersOf } from './members.ts';

type Handled = 'createTeamspace' | 'getTeamspace' | 'listTeamspaces' | 'updateTeamspace' | 'deleteTeamspace';

/** Teamspaces: interface §2 "Teamspace and membership", §4.8. */
export const teamspaceRecordHandlers: HandlersOf<Handled> = {
  async createTeamspace({ params, body }, context) {
    await teamAccess(context, params.team_id, 'teamspaces.manage');
    const at = context.now();
    const space = { id: newId(), name: body.name };
    return await inTransaction(context.db, async (trx) => {
      await trx
        .insertInto('teamspaces')
        .values({ ...space, team_id: params.team_id, created_at: at, updated_at: at })
        .execute();
      const members = await addMembers(trx, { id: space.id, teamId: params.team_id }, body.member_ids ?? [], at);
      return { ...space, members };
    });
  },

  async getTeamspace({ params }, context) {
    return await withMembers(context.db, await seeTeamspace(context, params.space_id, 'teamspaces.read'));
  },

  async listTeamspaces({ params, query }, context) {
    const { db } = context;
    const { userId, role } = await teamAccess(context, params.team_id, 'teamspaces.read');
    let seen = db.selectFrom('teamspaces').where('team_id', '=', params.team_id);
    if (!may(role, 'teamspaces.see_all')) seen = seen.where(isIn(userId));
    const { total } = await seen.select((select) => select.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
    const rows = await seen
      .select(['id', 'name'])
      .orderBy('id')
      .limit(query.limit)
      .offset(query.page * query.limit)
      .execute();
    const members = await membersOf(
      db,
      rows.map((row) => row.id),
    );
    return { metadata: { total }, records: rows.map((row) => ({ ...row, members: members.get(row.id) ?? [] })) };
  },

  async updateTeamspace({ params, body }, context) {
    const { db, now } = context;
    const space = await seeTeamspace(context, params.space_id, 'teamspaces.manage');
    const changed = await db
      .updateTable('teamspaces')
      .set({ name: body.name, updated_at: now() })
      .where('id', '=', space.id)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) throw new ApiError('not_found', { resource: 'Teamspace' });
    return await withMembers(db, { ...space, name: body.name });
  },

  async deleteTeamspace({ params }, context) {
    const space = await seeTeamspace(context, params.space_id, 'teamspaces.manage');
    // Packages and Portals stay in the Team: their references are emptied by the database.
    const { numDeletedRows } = await context.db.deleteFrom('teamspaces').where('id', '=', space.id).executeTakeFirst();
    if (numDeletedRows === 0n) throw new ApiError('not_found', { resource: 'Teamspace' });
  },
};

async function withMembers(db: Kysely<Database>, { id, name }: { readonly id: string; readonly name: string }): Promise<Teamspace> {
  return { id, name, members: (await membersOf(db, [id])).get(id) ?? [] };
}
