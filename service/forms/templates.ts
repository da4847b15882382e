import type { Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { FormTemplate } from '#protocol/hosted/forms.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireUnchanged } from '../unchanged.ts';
import { formatDateTime } from '../wire-times.ts';
import { normaliseFields } from './fields.ts';

type TemplateRow = Selectable<Database['form_templates']>;

/** Maximum length, since the list has no pages. The newest templates are left out. */
const maxListed = 1_000;

function toTemplate(row: TemplateRow): FormTemplate {
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    delivery_formats: row.delivery_formats,
    disabled: row.disabled,
    fields: [...row.fields],
    created_at: formatDateTime(row.created_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

async function managedTemplate(context: Context<Actor>, templateId: string): Promise<TemplateRow> {
  const row = await context.db.selectFrom('form_templates').selectAll().where('id', '=', templateId).executeTakeFirst();
  await resourceAccess(context, 'form template', row?.team_id, 'integrations.manage');
  return row!;
}

/** Templates of a Team for new forms (contract/forms.md §6). */
export const templateHandlers: HandlersOf<
  'createFormTemplate' | 'listFormTemplates' | 'getFormTemplate' | 'updateFormTemplate' | 'deleteFormTemplate'
> = {
  createFormTemplate: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    async ({ body }, context, { teamId }) => {
      const { db, now } = context;
      const row = {
        id: newId(),
        team_id: teamId,
        name: body.name,
        delivery_formats: body.delivery_formats,
        created_at: now(),
        updated_at: now(),
      };
      return toTemplate(await db.insertInto('form_templates').values(row).returningAll().executeTakeFirstOrThrow());
    },
  ),

  async listFormTemplates({ params }, context) {
    await teamAccess(context, params.team_id, 'integrations.manage');
    const rows = await context.db
      .selectFrom('form_templates')
      .selectAll()
      .where('team_id', '=', params.team_id)
      .orderBy('id')
      .limit(maxListed)
      .execute();
    return rows.map(toTemplate);
  },

  async getFormTemplate({ params }, context) {
    return toTemplate(await managedTemplate(context, params.form_template_id));
  },

  async updateFormTemplate({ params, body }, context) {
    const { db, now } = context;
    await managedTemplate(context, params.form_template_id);
    return await inTransaction(db, async (trx) => {
      const templates = trx.selectFrom('form_templates').select('updated_at').where('id', '=', params.form_template_id);
      const before = await templates.forUpdate().executeTakeFirst();
      if (!before) throw new ApiError('not_found', { resource: 'form template' });
      requireUnchanged(body.expected_updated_at, before, 'The template');
      const row = await trx
        .updateTable('form_templates')
        .set({
          name: body.name,
          delivery_formats: body.delivery_formats,
          ...(body.disabled !== undefined && { disabled: body.disabled }),
          fields: JSON.stringify(normaliseFields(body.fields)),
          updated_at: now(),
        })
        .where('id', '=', params.form_template_id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toTemplate(row);
    });
  },

  async deleteFormTemplate({ params }, context) {
    await managedTemplate(context, params.form_template_id);
    await context.db.deleteFrom('form_templates').where('id', '=', params.form_template_id).execute();
  },
};
