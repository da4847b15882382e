import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { AnsweredForm as Answered } from '#protocol/hosted/form-answers.ts';
import { countUpTo } from '../bounded-count.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { formatNext, parseAfter } from '../keyset.ts';
import { visibleTo } from '../packages/visible.ts';
import { may } from '../permissions.ts';
import { managedPortal } from '../portals/manage.ts';
import { teamAccess } from '../teams/access.ts';
import { formatDateTime } from '../wire-times.ts';
import { answerTable, type TableRow } from './answer-table.ts';

/** Rows per statement of the CSV. */
const batchSize = 500;

/** The answers that came with a Portal's packages (contract/forms.md §7). */
export const answeredHandlers: HandlersOf<'listFormAnswers' | 'exportFormAnswers'> = {
  async listFormAnswers({ params, query }, context) {
    const matches = await visibleAnswers(context, params.portal_id);
    const metadata = await countUpTo(context.db, sql`${from} where ${matches}`, query.count_up_to);
    const after = query.after ? olderThan(query.after) : sql``;
    const skip = query.after ? 0 : (query.page - 1) * query.limit;
    // One more says whether there is a next page.
    const found = await read(context, sql`where ${matches} ${after} ${newestFirst} limit ${query.limit + 1} offset ${skip}`);
    const rows = found.slice(0, query.limit);
    const last = rows.at(-1);
    return {
      metadata,
      records: rows.map(toAnswered),
      next: found.length > rows.length && last ? formatNext([String(last.created_at.getTime()), last.package_id]) : '',
    };
  },

  async exportFormAnswers({ params }, context) {
    const matches = await visibleAnswers(context, params.portal_id);
    return answerTable(await columnsOf(context, matches), batches(context, matches));
  },
};

const from = sql`from packages join form_responses on form_responses.id = packages.form_response_id`;
const newestFirst = sql`order by packages.created_at desc, packages.id desc`;

/** Error: `invalid_request`. */
function olderThan(after: string): RawBuilder<unknown> {
  const [at, id] = parseAfter(
    after,
    ([time = '', packageId = '', ...more]) => /^\d{1,14}$/.test(time) && isId(packageId) && more.length === 0,
  );
  return sql`and (packages.created_at, packages.id) < (${new Date(Number(at))}::timestamptz, ${id}::uuid)`;
}

/** Of packages that the caller sees: those of a private Portal are for the people in its access list. */
async function visibleAnswers(context: Context<Actor>, portalId: string): Promise<RawBuilder<SqlBool>> {
  const portal = await managedPortal(context, portalId);
  const { userId, role } = await teamAccess(context, portal.team_id, 'packages.read');
  return sql<SqlBool>`packages.portal_id = ${portalId} and ${visibleTo(userId, may(role, 'packages.see_all'))}`;
}

const read = async ({ db }: Pick<Context, 'db'>, rest: RawBuilder<unknown>): Promise<TableRow[]> =>
  (
    await sql<TableRow>`
      select form_responses.id, packages.id as package_id, packages.name, packages.sender, packages.created_at,
        form_responses.form, form_responses.answers
      ${from} ${rest}`.execute(db)
  ).rows;

/** From page to page by where the last one ended, so that packages which arrive meanwhile move none. */
async function* batches(context: Pick<Context, 'db'>, matches: RawBuilder<SqlBool>): AsyncGenerator<readonly TableRow[]> {
  for (let last: TableRow | undefined; ; ) {
    const after = last ? sql`and (packages.created_at, packages.id) < (${last.created_at}, ${last.package_id})` : sql``;
    const rows = await read(context, sql`where ${matches} ${after} ${newestFirst} limit ${batchSize}`);
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    last = rows.at(-1);
  }
}

/** Every field that was ever answered, with its newest label: a form may have changed between two packages. */
async function columnsOf({ db }: Pick<Context, 'db'>, matches: RawBuilder<SqlBool>) {
  const { rows } = await sql<{ name: string; label: string }>`
    select name, label from (
      select distinct on (field ->> 'name') field ->> 'name' as name, field ->> 'label' as label,
        (field ->> 'position')::numeric as position
      ${from}, jsonb_array_elements(form_responses.form -> 'fields') as field
      where ${matches} order by field ->> 'name', packages.created_at desc
    ) as fields order by position, name`.execute(db);
  return rows;
}

const toAnswered = (row: TableRow): Answered => ({
  id: row.id,
  package_id: row.package_id,
  package_name: row.name,
  sender: row.sender,
  created_at: formatDateTime(row.created_at),
  fields: [...row.form.fields],
  values: row.answers,
});
