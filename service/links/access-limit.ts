import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Context } from '../handler.ts';

/**
 * Lets a read token start a download through a link with a limit. A token counts once, however many files it
 * downloads, and however many calls are concurrent; `link_used_up` when other tokens have reached the limit.
 */
export async function checkAccessLimit(
  { db, caches, now }: Pick<Context, 'db' | 'caches' | 'now'>,
  linkId: string,
  tokenId: string,
): Promise<void> {
  if (caches.downloaders.get(tokenId)) return;
  // The link's row is locked first, so that two tokens cannot both take the last download.
  const { rows } = await sql<{ added: boolean }>`
    with link as (
      select id from links where id = ${linkId} and accesses < access_limit for update
    ), added as (
      insert into link_accesses (link_id, token_id, started_at) select id, ${tokenId}::uuid, ${now()}::timestamptz from link
      on conflict do nothing
      returning link_id
    )
    update links set accesses = accesses + 1 from added where links.id = added.link_id returning true as added`.execute(db);
  if (rows.length === 0) {
    const known = await db
      .selectFrom('link_accesses')
      .select('token_id')
      .where('link_id', '=', linkId)
      .where('token_id', '=', tokenId)
      .executeTakeFirst();
    if (!known) throw new ApiError('link_used_up');
  }
  caches.downloaders.set(tokenId, true);
}
