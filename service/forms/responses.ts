import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { creation, type HandlersOf } from '../handler.ts';
import { isId, newId } from '../ids.ts';
import { managePackage } from '../packages/access.ts';
import { portalForSender } from '../portals/access-code.ts';
import { inOrder } from '../portals/row.ts';
import { countResponse } from '../portals/sender-limits.ts';
import { completeAnswers, type PackageFields, packageFieldsOf, toResponse, toShownResponse } from './answers.ts';

const day = 24 * 3600 * 1000;

/** How long a response waits for its package. `forms.sweep` deletes it a day later, when no package can use it any more. */
const retentionDays = 7;

/** Answers to forms: stored for a sender, and read with the package they belong to (contract/forms.md §3, §4). */
export const responseHandlers: HandlersOf<'createFormResponse' | 'getPackageMetadata'> = {
  createFormResponse: creation(
    ({ params }, context) => portalForSender(context, params.portal_id),
    async ({ body }, context, portal) => {
      const { db, now, credential } = context;
      if (credential.kind === 'access_code') await countResponse(context, portal.id, context.peer);
      const row = await db
        .selectFrom('forms')
        .select(['id', 'name', 'delivery_formats', 'fields'])
        .where('portal_id', '=', portal.id)
        .where('disabled', '=', false)
        .executeTakeFirst();
      if (!row) throw new ApiError('not_found', { resource: 'form of this Portal' });
      const form = { name: row.name, delivery_formats: row.delivery_formats, fields: inOrder(row.fields) };
      const answers = completeAnswers(form.fields, body);
      const id = newId();
      await db
        .insertInto('form_responses')
        .values({
          id,
          portal_id: portal.id,
          form_id: row.id,
          form: JSON.stringify(form),
          answers: JSON.stringify(answers),
          created_at: now(),
        })
        .execute();
      return toResponse(id, form, answers);
    },
  ),

  async getPackageMetadata({ params }, context) {
    const { state, form_response_id: id } = await managePackage(context, params.package_id);
    if (state === 'expired' || state === 'archived') throw new ApiError('package_expired');
    const row =
      id === null
        ? undefined
        : await context.db.selectFrom('form_responses').select(['form', 'answers']).where('id', '=', id).executeTakeFirst();
    if (!row) throw new ApiError('not_found', { resource: 'form response of this package' });
    return toShownResponse(id!, row.form, row.answers);
  },
};

/**
 * Assigns a response to a new package of its Portal, within the transaction that creates the package: the row is
 * locked, so that it is used only once. Returns the package fields from its answers. `formId` is the form that must
 * be answered, null if there is none. Errors: `form_response_incomplete`, `not_found` naming `form_data_id`,
 * `state_conflict`.
 */
export async function claimResponse(
  trx: Kysely<Database>,
  { portalId, formId, responseId, now }: { portalId: string; formId: string | null; responseId: string | undefined; now: Date },
): Promise<PackageFields> {
  if (responseId === undefined) {
    if (formId !== null) throw new ApiError('form_response_incomplete', { field: 'form_data_id' });
    return {};
  }
  const row = isId(responseId)
    ? await trx
        .selectFrom('form_responses')
        .select(['form_id', 'form', 'answers'])
        .where('id', '=', responseId)
        .where('portal_id', '=', portalId)
        .where('created_at', '>', new Date(now.getTime() - retentionDays * day))
        .forUpdate()
        .executeTakeFirst()
    : undefined;
  if (!row) throw new ApiError('not_found', { resource: 'form response for this Portal (in form_data_id)' });
  const used = await trx.selectFrom('packages').select('id').where('form_response_id', '=', responseId).executeTakeFirst();
  if (used)
    throw new ApiError('state_conflict', { detail: 'form_data_id: this response came with another package. Answer the form again.' });
  if (formId !== null && row.form_id !== formId) {
    throw new ApiError('state_conflict', { detail: 'form_data_id: the Portal has another form by now. Answer that one.' });
  }
  return packageFieldsOf(row.form, row.answers);
}

/** Responses deleted per statement. */
const deleteBatchSize = 1_000;

/** Deletes responses that were never used for a package. */
export async function sweepResponses({ db, now, signal }: { db: Kysely<Database>; now: () => Date; signal: AbortSignal }): Promise<void> {
  const before = new Date(now().getTime() - (retentionDays + 1) * day);
  for (;;) {
    signal.throwIfAborted();
    const gone = await db
      .deleteFrom('form_responses')
      .where('id', 'in', (select) =>
        select
          .selectFrom('form_responses')
          .leftJoin('packages', 'packages.form_response_id', 'form_responses.id')
          .select('form_responses.id')
          .where('form_responses.created_at', '<', before)
          .where('packages.id', 'is', null)
          .orderBy('form_responses.created_at')
          .limit(deleteBatchSize),
      )
      .executeTakeFirst();
    if (Number(gone.numDeletedRows) < deleteBatchSize) return;
  }
}
