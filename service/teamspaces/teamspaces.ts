import { type Kysely, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import { recordAudit } from '../audit/record.ts';
import { containing } from '../database/patterns.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { may } from '../permissions.ts';
import { teamAccess } from '../teams/access.ts';
import { isTeamspaceMember, seeTeamspace } from './access.ts';
import { addMembers, membersOf } from './members.ts';

type Handled = 'createTeamspace' | 'getTeamspace' | 'listTeamspaces' | 'updateTeamspace' | 'deleteTeamspace';

/** Teamspaces: contract/teamspaces.md §1, §5. */
export const teamspaceRecordHandlers: HandlersOf<Handled> = {
  createTeamspace: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'teamspaces.manage'),
    async ({ params, body }, context) => {
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
  ),

  async getTeamspace({ params }, context) {
    return await withMembers(context.db, await seeTeamspace(context, params.space_id, 'teamspaces.read'));
  },

  async listTeamspaces({ params, query }, context) {
    const { db } = context;
    const { userId, role } = await teamAccess(context, params.team_id, 'teamspaces.read');
    let seen = db.selectFrom('teamspaces').where('team_id', '=', params.team_id);
    if (!may(role, 'teamspaces.see_all')) seen = seen.where(isTeamspaceMember(userId));
    if (query.name) seen = seen.where('name', 'ilike', containing(query.name));
    const sort = query.sort ?? 'created_at';
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    // Ids are made in the order of time.
    const ordered = sort.endsWith('name') ? seen.orderBy(sql`lower(name) collate "C"`, direction) : seen;
    const { total } = await seen.select((select) => select.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
    const rows = await ordered
      .select(['id', 'name'])
      .orderBy('id', direction)
      .limit(query.limit)
      .offset(query.page * query.limit)
      .execute();
    if (query.members === false) return { metadata: { total }, records: rows };
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

  async deleteTeamspace({ params, query }, context) {
    const { db, credentials } = context;
    const space = await seeTeamspace(context, params.space_id, 'teamspaces.manage');
    const target = query.move_to === undefined ? null : await targetOf(db, space, query.move_to);
    if (target !== null) await movePackages(db, space.id, target);
    await inTransaction(db, async (trx) => {
      if (target !== null) {
        // A call that puts a Portal into it has locked its row; after this lock none can.
        await trx.selectFrom('teamspaces').select('id').where('id', '=', space.id).forUpdate().execute();
        await lockTarget(trx, target);
        await moveRemaining(trx, space.id, target);
      }
      // Without a target, packages and Portals keep the id of the deleted Teamspace: only owners and admins see them.
      const { numDeletedRows } = await trx.deleteFrom('teamspaces').where('id', '=', space.id).executeTakeFirst();
      if (numDeletedRows === 0n) throw new ApiError('not_found', { resource: 'Teamspace' });
      await recordAudit(trx, context, space.teamId, {
        action: 'teamspace.deleted',
        target: { kind: 'teamspace', id: space.id, name: space.name },
        details: { ...(target !== null && { move_to: target }) },
      });
    });
    credentials.invalidatePackagePermissions();
  },
};

const noTarget = () => new ApiError('not_found', { resource: 'Teamspace (move_to)' });

/** The Teamspace that gets the packages: another one of the same Team. `invalid_request`, `not_found` naming `move_to`. */
async function targetOf(db: Kysely<Database>, space: { readonly id: string; readonly teamId: string }, asked: string): Promise<string> {
  if (asked === space.id) {
    throw new ApiError('invalid_request', { detail: 'move_to: this is the Teamspace to be deleted. Name another one of the Team.' });
  }
  const target = isId(asked)
    ? await db.selectFrom('teamspaces').select('id').where('id', '=', asked).where('team_id', '=', space.teamId).executeTakeFirst()
    : undefined;
  if (!target) throw noTarget();
  return target.id;
}

/** Locks the target, so that it is not deleted before the transaction ends. */
async function lockTarget(trx: Kysely<Database>, target: string): Promise<void> {
  const there = await trx.selectFrom('teamspaces').select('id').where('id', '=', target).forKeyShare().executeTakeFirst();
  if (!there) throw noTarget();
}

async function withMembers(db: Kysely<Database>, { id, name }: { readonly id: string; readonly name: string }): Promise<Teamspace> {
  return { id, name, members: (await membersOf(db, [id])).get(id) ?? [] };
}

/** Packages per statement: a Teamspace with a million packages must not run into a timeout. */
const perStatement = 2_000;

/**
 * Moves most of a Teamspace's packages to another one in batches; packages locked by others are left to
 * `moveRemaining`. If interrupted, moved packages stay moved, and a retry moves the rest.
 */
async function movePackages(db: Kysely<Database>, from: string, to: string): Promise<void> {
  for (let moved = perStatement; moved === perStatement; ) {
    const { numAffectedRows } = await sql`
      update packages set teamspace_id = ${to}
      where id in (select id from packages where teamspace_id = ${from} limit ${perStatement} for update skip locked)`.execute(db);
    moved = Number(numAffectedRows ?? 0n);
  }
}

/**
 * Moves the Portals, and then all remaining packages. A call that creates a package through a Portal locks the
 * Portal's row before it reads its Teamspace, until the package exists. So the Portals are locked first: this waits
 * for such calls, and later ones read the new Teamspace. Then it waits for packages locked by others.
 */
async function moveRemaining(trx: Transaction<Database>, from: string, to: string): Promise<void> {
  await trx.selectFrom('portals').select('id').where('teamspace_id', '=', from).orderBy('id').forUpdate().execute();
  await trx.updateTable('portals').set({ teamspace_id: to }).where('teamspace_id', '=', from).execute();
  await trx.updateTable('packages').set({ teamspace_id: to }).where('teamspace_id', '=', from).execute();
}
