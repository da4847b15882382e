import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Teamspace, teamspaceSorts } from '#protocol/hosted/teamspaces.ts';
import { recordAudit } from '../audit/record.ts';
import { countUpTo } from '../bounded-count.ts';
import { containing } from '../database/patterns.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { formatNext, parseAfter } from '../keyset.ts';
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
    const where: RawBuilder<SqlBool>[] = [sql`teamspaces.team_id = ${params.team_id}`];
    if (!may(role, 'teamspaces.see_all')) where.push(isTeamspaceMember(userId));
    if (query.name) where.push(sql`teamspaces.name ilike ${containing(query.name)}`);
    const matches = sql<SqlBool>`${sql.join(where, sql` and `)}`;
    const sort = query.sort ?? 'created_at';
    const direction = sql.raw(sort.startsWith('-') ? 'desc' : 'asc');
    // Ids are made in the order of time.
    const order = sort.endsWith('name') ? sql`lower(name) collate "C" ${direction}, id ${direction}` : sql`id ${direction}`;
    const metadata = await countUpTo(db, sql`from teamspaces where ${matches}`, query.count_up_to);
    // One more says whether there is a next page.
    const { rows: found } = await sql<{ readonly id: string; readonly name: string; readonly key: string }>`
      select id, name, lower(name) as key from teamspaces
      where ${matches} ${query.after ? sql`and ${isAfter(query.after, sort)}` : sql``}
      order by ${order} limit ${query.limit + 1} offset ${query.after ? 0 : query.page * query.limit}`.execute(db);
    const rows = found.slice(0, query.limit);
    const last = rows.at(-1);
    const next = found.length > rows.length && last ? formatNext([sort, last.key, last.id]) : '';
    const records = rows.map(({ id, name }) => ({ id, name }));
    if (query.members === false) return { metadata, records, next };
    const members = await membersOf(
      db,
      rows.map((row) => row.id),
    );
    return { metadata, records: records.map((row) => ({ ...row, members: members.get(row.id) ?? [] })), next };
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

/** Whether a row comes after the last one of the page before, in the same order. Error: `invalid_request`. */
function isAfter(after: string, sort: (typeof teamspaceSorts)[number]): RawBuilder<SqlBool> {
  const [, key = '', id = ''] = parseAfter(
    after,
    ([ofSort, _key, ofId = '', ...more]) => ofSort === sort && isId(ofId) && more.length === 0,
  );
  const comparison = sql.raw(sort.startsWith('-') ? '<' : '>');
  return sort.endsWith('name')
    ? sql`(lower(name) collate "C", id) ${comparison} (${key}::text collate "C", ${id}::uuid)`
    : sql`id ${comparison} ${id}::uuid`;
}

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
