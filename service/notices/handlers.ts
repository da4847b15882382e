import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { hashMailedToken } from '../accounts/mailed-tokens.ts';
import type { HandlersOf } from '../handler.ts';

/** Mail programs turn notices off by the address that each one carries (contract/packages.md §12). */
export const noticeHandlers: HandlersOf<'stopNotices'> = {
  async stopNotices({ params, query }, { db, mailedTokens }) {
    const { message_id: id } = params;
    // Compared by their hashes, which takes the same time for all.
    if (!hashMailedToken(query.token).equals(hashMailedToken(mailedTokens.of(id))))
      throw new ApiError('not_found', { resource: 'message' });
    await sql`
      insert into notice_refusals (package_id, email)
      select notices.package_id, lower(messages.recipient) from messages join notices on notices.id = messages.notice_id
      where messages.id = ${id}
      on conflict do nothing`.execute(db);
  },
};
