import { hash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { teamAccess } from '../teams/access.ts';
import { lockTeam } from '../teams/team-lock.ts';
import { formatDateTime } from '../wire-times.ts';
import { checkImage } from './check-image.ts';
import { type CheckedImage, ImageRefused } from './image-refused.ts';
import { imageKey } from './key.ts';

/** Uploaded images for a Team's pages (contract/images.md §1). */
export const imageHandlers: HandlersOf<'createImage'> = {
  createImage: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    async ({ body }, context, { teamId, userId }) => {
      const checked = await checkedImage(body.data);
      const row = await inTransaction(context.db, async (trx) => {
        // Two uploads of one image at once become one.
        await lockTeam(trx, teamId);
        return (await knownImage(context, trx, teamId, checked)) ?? (await addImage(context, trx, { teamId, userId }, checked));
      });
      return {
        id: row.id,
        url: context.urls.image(row.id),
        type: row.type,
        width: row.width,
        height: row.height,
        size: row.size,
        created_at: formatDateTime(row.created_at),
      };
    },
  ),
};

async function checkedImage(data: string): Promise<CheckedImage> {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== data.replace(/=+$/, '')) {
    throw new ApiError('invalid_request', { detail: 'data: it is no Base64.' });
  }
  if (bytes.length > limits.imageBytes)
    throw new ApiError('over_limit', { detail: `data: an image has at most ${limits.imageBytes} bytes.` });
  try {
    return await checkImage(bytes);
  } catch (error) {
    if (!(error instanceof ImageRefused)) throw error;
    throw new ApiError('invalid_request', { detail: `data: the image ${error.message}.` }, { cause: error });
  }
}

const digestOf = ({ bytes }: CheckedImage): Buffer => hash('sha256', bytes, 'buffer');

function knownImage({ now }: Pick<Context, 'now'>, trx: Transaction<Database>, teamId: string, image: CheckedImage) {
  return trx
    .updateTable('images')
    .set({ used_at: now() })
    .where('team_id', '=', teamId)
    .where('digest', '=', digestOf(image))
    .returningAll()
    .executeTakeFirst();
}

async function addImage(
  { storage, now }: Pick<Context, 'storage' | 'now'>,
  trx: Transaction<Database>,
  { teamId, userId }: { readonly teamId: string; readonly userId: string },
  image: CheckedImage,
) {
  const { count } = await trx
    .selectFrom('images')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  if (count >= limits.imagesPerTeam) {
    throw new ApiError('over_limit', { detail: `A Team has at most ${limits.imagesPerTeam} images. Unused ones are deleted after a day.` });
  }
  const { type, width, height, bytes } = image;
  const at = now();
  const row = await trx
    .insertInto('images')
    .values({
      ...{ id: newId(), team_id: teamId, created_by: userId, digest: digestOf(image), type, width, height, size: bytes.length },
      ...{ created_at: at, used_at: at },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await storage.write(imageKey(row.id), bytes);
  return row;
}
