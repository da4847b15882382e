import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { hashMailedToken } from '../accounts/mailed-tokens.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context, HandlersOf } from '../handler.ts';

interface MailedMessage {
  readonly params: { readonly message_id: string };
  readonly query: { readonly token: string };
}

/** People and mail programs turn notices off, and on again, by the address that each one carries (contract/packages.md §12). */
export const noticeHandlers: HandlersOf<'getNoticeChoice' | 'stopNotices' | 'resumeNotices'> = {
  async getNoticeChoice(call, context) {
    const { name, email, stopped } = await mailedNotice(context.db, requireToken(call, context));
    return { package_name: name, email, stopped };
  },

  async stopNotices(call, context) {
    const { db } = context;
    const { package_id, address } = await mailedNotice(db, requireToken(call, context));
    await db
      .insertInto('notice_refusals')
      .values({ package_id, email: address })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },

  async resumeNotices(call, context) {
    const { db } = context;
    const { package_id, address } = await mailedNotice(db, requireToken(call, context));
    await db.deleteFrom('notice_refusals').where('package_id', '=', package_id).where('email', '=', address).execute();
  },
};

/** Returns the message's id. Error: `not_found`. */
function requireToken({ params, query }: MailedMessage, { mailedTokens }: Pick<Context, 'mailedTokens'>): string {
  const { message_id: id } = params;
  // Compared by their hashes, which takes the same time for all.
  if (!hashMailedToken(query.token).equals(hashMailedToken(mailedTokens.of(id)))) throw noMessage();
  return id;
}

const noMessage = (): ApiError => new ApiError('not_found', { resource: 'message' });

async function mailedNotice(db: Kysely<Database>, messageId: string) {
  const row = await db
    .selectFrom('messages')
    .innerJoin('notices', 'notices.id', 'messages.notice_id')
    .innerJoin('packages', 'packages.id', 'notices.package_id')
    .leftJoin('notice_refusals', (join) =>
      join.onRef('notice_refusals.package_id', '=', 'packages.id').on('notice_refusals.email', '=', sql`lower(messages.recipient)`),
    )
    .select(['packages.id as package_id', 'packages.name', 'messages.recipient as email'])
    .select(sql<string>`lower(messages.recipient)`.as('address'))
    .select(sql<boolean>`notice_refusals.email is not null`.as('stopped'))
    .where('messages.id', '=', messageId)
    .executeTakeFirst();
  if (!row) throw noMessage();
  return row;
}
