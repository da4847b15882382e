import type { Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Form, FormField } from '#protocol/hosted/forms.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { violates } from '../database/violations.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { managedPortal } from '../portals/manage.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireUnchanged } from '../unchanged.ts';
import { formatDateTime } from '../wire-times.ts';
import { normaliseFields } from './fields.ts';

type FormRow = Selectable<Database['forms']>;

function toForm(row: FormRow): Form {
  return {
    id: row.id,
    portal_id: row.portal_id,
    name: row.name,
    delivery_formats: row.delivery_formats,
    disabled: row.disabled,
    fields: [...row.fields],
    ...(row.form_template_id !== null && { form_template_id: row.form_template_id }),
    created_at: formatDateTime(row.created_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

/** Refuses a form that the caller's role does not manage: `not_found`, `not_allowed`, `team_inactive`. */
async function checkManaged(context: Context<Actor>, formId: string): Promise<void> {
  const row = await context.db
    .selectFrom('forms')
    .innerJoin('portals', 'portals.id', 'forms.portal_id')
    .select('portals.team_id')
    .where('forms.id', '=', formId)
    .executeTakeFirst();
  await resourceAccess(context, 'form', row?.team_id, 'integrations.manage');
}

/** The fields of a template of the same Team. */
async function templateFields({ db }: Pick<Context, 'db'>, teamId: string, templateId: string): Promise<readonly FormField[]> {
  const row = isId(templateId)
    ? await db.selectFrom('form_templates').select('fields').where('id', '=', templateId).where('team_id', '=', teamId).executeTakeFirst()
    : undefined;
  if (!row) throw new ApiError('not_found', { resource: 'form template of this Team (in form_template_id)' });
  return row.fields;
}

/** The form of a Portal, as its Team manages it (contract/forms.md §1). A Portal has at most one. */
export const formHandlers: HandlersOf<'createForm' | 'getForm' | 'updateForm' | 'deleteForm'> = {
  createForm: creation(
    ({ params }, context) => managedPortal(context, params.portal_id),
    async ({ body }, context, portal) => {
      const { db, now } = context;
      const template = body.form_template_id === undefined ? [] : await templateFields(context, portal.team_id, body.form_template_id);
      const row = {
        id: newId(),
        portal_id: portal.id,
        form_template_id: body.form_template_id ?? null,
        name: body.name,
        delivery_formats: body.delivery_formats,
        disabled: body.disabled ?? false,
        fields: JSON.stringify(normaliseFields(body.fields ?? template)),
        created_at: now(),
        updated_at: now(),
      };
      try {
        return toForm(await db.insertInto('forms').values(row).returningAll().executeTakeFirstOrThrow());
      } catch (error) {
        if (!violates(error, 'forms_portal_id_key')) throw error;
        throw new ApiError('already_exists', { detail: 'This Portal has a form already. Change that one.' }, { cause: error });
      }
    },
  ),

  async getForm({ params }, context) {
    const portal = await managedPortal(context, params.portal_id);
    const row = await context.db.selectFrom('forms').selectAll().where('portal_id', '=', portal.id).executeTakeFirst();
    if (!row) throw new ApiError('not_found', { resource: 'form of this Portal' });
    return toForm(row);
  },

  async updateForm({ params, body }, context) {
    const { db, now } = context;
    await checkManaged(context, params.form_id);
    return await inTransaction(db, async (trx) => {
      const before = await trx.selectFrom('forms').select('updated_at').where('id', '=', params.form_id).forUpdate().executeTakeFirst();
      if (!before) throw new ApiError('not_found', { resource: 'form' });
      requireUnchanged(body.expected_updated_at, before, 'The form');
      const row = await trx
        .updateTable('forms')
        .set({
          name: body.name,
          delivery_formats: body.delivery_formats,
          disabled: body.disabled,
          fields: JSON.stringify(normaliseFields(body.fields)),
          updated_at: now(),
        })
        .where('id', '=', params.form_id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toForm(row);
    });
  },

  async deleteForm({ params }, context) {
    await checkManaged(context, params.form_id);
    await context.db.deleteFrom('forms').where('id', '=', params.form_id).execute();
  },
};
