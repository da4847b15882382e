import { type Selectable, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Tag } from '#protocol/hosted/tags.ts';
import { recordAudit } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { violates } from '../database/violations.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireTeamSlot } from '../teams/team-slot.ts';
import { formatDateTime } from '../wire-times.ts';

/** Maximum tags of a Team, since their list is not paged. */
const maxTags = 1_000;

/** Packages per statement: a Team with a million packages must not run into a timeout. */
const perStatement = 2_000;

const toTag = (row: Selectable<Database['tags']>): Tag => ({
  id: row.id,
  name: row.name,
  team_id: row.team_id,
  active: row.active,
  created_at: formatDateTime(row.created_at),
  updated_at: formatDateTime(row.updated_at),
});

const nameTaken = (name: string) => new ApiError('already_exists', { detail: `name: this Team has a tag ${name} already.` });

/** Tags (contract/tags.md §1). A Team has each name once, regardless of case. */
export const tagHandlers: HandlersOf<'createTag' | 'listTags' | 'updateTag' | 'deleteTag'> = {
  createTag: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'tags.manage'),
    async ({ params, body }, context) => {
      const { db, now } = context;
      const at = now();
      const row = { id: newId(), team_id: params.team_id, name: body.name, active: true, created_at: at, updated_at: at };
      const made = await inTransaction(db, async (trx) => {
        await requireTeamSlot(trx, params.team_id, {
          table: 'tags',
          most: maxTags,
          detail: `name: this Team has ${maxTags} tags already. Delete one that is no longer needed.`,
        });
        return await trx
          .insertInto('tags')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
      });
      if (made.numInsertedOrUpdatedRows === 0n) throw nameTaken(body.name);
      return toTag(row);
    },
  ),

  async listTags({ params }, context) {
    await teamAccess(context, params.team_id, 'packages.read');
    const rows = await context.db
      .selectFrom('tags')
      .selectAll()
      .where('team_id', '=', params.team_id)
      .orderBy(sql`lower(name) collate "C"`)
      .orderBy('id')
      .limit(2 * maxTags)
      .execute();
    return rows.map(toTag);
  },

  async updateTag({ params, body }, context) {
    const { db, now } = context;
    const tag = await db.selectFrom('tags').select('team_id').where('id', '=', params.tag_id).executeTakeFirst();
    await resourceAccess(context, 'tag', tag?.team_id, 'tags.manage');
    try {
      const row = await db
        .updateTable('tags')
        .set({ name: body.name, updated_at: now() })
        .where('id', '=', params.tag_id)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new ApiError('not_found', { resource: 'tag' });
      return toTag(row);
    } catch (error) {
      if (violates(error, 'tags_name')) throw nameTaken(body.name);
      throw error;
    }
  },

  async deleteTag({ params }, context) {
    const { db } = context;
    const tag = await db.selectFrom('tags').select(['team_id', 'name']).where('id', '=', params.tag_id).executeTakeFirst();
    await resourceAccess(context, 'tag', tag?.team_id, 'tags.manage');
    // In batches first, so that the last statement has little to do.
    for (let stripped = perStatement; stripped === perStatement; ) {
      const { numAffectedRows } = await sql`
        update packages set tag_id = null
        where id in (select id from packages where tag_id = ${params.tag_id} limit ${perStatement} for update skip locked)`.execute(db);
      stripped = Number(numAffectedRows ?? 0n);
    }
    await inTransaction(db, async (trx) => {
      const { numDeletedRows } = await trx.deleteFrom('tags').where('id', '=', params.tag_id).executeTakeFirst();
      const event = { action: 'tag.deleted', target: { kind: 'tag', id: params.tag_id, name: tag!.name } } as const;
      if (numDeletedRows > 0n) await recordAudit(trx, context, tag!.team_id, event);
    });
  },
};
