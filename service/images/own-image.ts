import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { isId } from '../ids.ts';
import type { PublicUrls } from '../urls.ts';

/**
 * The uploaded image that an address in a setting stands for; null for an address of somebody else's, or none. Locked
 * until the commit, so that it is not deleted before it is used. Errors: `not_found` naming the field for an image that
 * is not the Team's.
 */
export async function ownImage(
  db: Kysely<Database>,
  { teamId, urls }: { readonly teamId: string; readonly urls: Pick<PublicUrls, 'image'> },
  field: string,
  address: string,
): Promise<string | null> {
  const prefix = urls.image('');
  if (!address.startsWith(prefix)) return null;
  const id = address.slice(prefix.length);
  const found = isId(id)
    ? await db.selectFrom('images').select('id').where('id', '=', id).where('team_id', '=', teamId).forKeyShare().executeTakeFirst()
    : undefined;
  if (!found) throw new ApiError('not_found', { resource: `image of this Team (in ${field})` });
  return id;
}
