import { buffer } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#protocol/errors.ts';
import type { Services } from '../handler.ts';
import { isId } from '../ids.ts';
import { imageKey } from './key.ts';

const cacheBytes = 32 * 1024 * 1024;

/** Opened as a page, an image runs, loads and frames nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

interface StoredImage {
  readonly type: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

export interface ImageReads {
  /** `undefined`: there is none. Errors: `StorageError`. */
  read(id: string): Promise<StoredImage | undefined>;
}

/** Uploaded images, with those that are asked for often in memory. What an image's id stands for never changes. */
export function createImageReads({ db, storage }: Pick<Services, 'db' | 'storage'>): ImageReads {
  const cache = new LRUCache<string, StoredImage>({ maxSize: cacheBytes, sizeCalculation: ({ bytes }) => bytes.length + 1_024 });
  return {
    async read(id) {
      const known = cache.get(id);
      if (known) return known;
      const row = await db.selectFrom('images').select(['type', 'digest']).where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const image = { type: row.type, digest: row.digest.toString('hex'), bytes: await buffer(await storage.read(imageKey(id))) };
      cache.set(id, image);
      return image;
    },
  };
}

/** Sends an image that may be kept for ever, since another image has another address. */
export function sendImage(reply: FastifyReply, { type, digest, bytes }: StoredImage): FastifyReply {
  const headers = {
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': policy,
    // Mails and pages of other hosts show it as well.
    'cross-origin-resource-policy': 'cross-origin',
    etag: `"${digest}"`,
  };
  if (reply.request.headers['if-none-match'] === headers.etag) return reply.code(304).headers(headers).send();
  return reply.headers({ ...headers, 'content-type': type }).send(bytes);
}

/** `GET /images/{id}` (contract/images.md §3). */
export async function images(app: FastifyInstance, { reads }: { readonly reads: ImageReads }): Promise<void> {
  app.get<{ Params: { id: string } }>('/images/:id', async (request, reply) => {
    const { id } = request.params;
    const image = isId(id) ? await reads.read(id) : undefined;
    if (!image) throw new ApiError('not_found', { resource: 'image' });
    return sendImage(reply, image);
  });
}
