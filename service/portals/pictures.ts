import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#protocol/errors.ts';
import type { Services } from '../handler.ts';
import type { ReadAnswer } from '../webhooks/calls.ts';

/** Bytes. */
const largest = 8 * 1024 * 1024;
const rememberedBytes = 64 * 1024 * 1024;
/** Milliseconds that a picture is remembered, or that there is none. */
const stands = 10 * 60_000;
const types: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']);

/** A drawing may hold scripts; opened by itself it may do nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * The logo and background of a Portal, at `/p/{subdomain}/logo?of={address}`: fetched by the service, so that no visitor
 * of the page is made known to whoever keeps the picture. `of` has to be what the Portal names: who may see the Portal
 * knows it, nobody else gets anything fetched, and a changed picture has a new address.
 */
export async function portalPictures(app: FastifyInstance, { services }: { readonly services: Services }): Promise<void> {
  const { db, webhookCalls } = services;
  const remembered = new LRUCache<string, ReadAnswer>({
    maxSize: rememberedBytes,
    sizeCalculation: ({ bytes }) => bytes.length + 1_024,
    ttl: stands,
  });
  const underWay = new Map<string, Promise<ReadAnswer>>();

  async function read(url: string): Promise<ReadAnswer> {
    const known = remembered.get(url);
    if (known) return known;
    const asked =
      underWay.get(url) ??
      webhookCalls
        .read(url, largest, new AbortController().signal)
        // None is remembered too: nobody makes the service ask again and again.
        .catch((): ReadAnswer => ({ status: 502, type: '', bytes: Buffer.alloc(0) }))
        .then((answer) => (answer.status === 200 && types.has(answer.type) ? answer : { ...answer, status: 502, bytes: Buffer.alloc(0) }))
        .finally(() => underWay.delete(url));
    underWay.set(url, asked);
    const answer = await asked;
    remembered.set(url, answer);
    return answer;
  }

  for (const [kind, column] of [
    ['logo', 'logo_url'],
    ['background', 'background_url'],
  ] as const) {
    app.get<{ Params: { subdomain: string }; Querystring: { of?: unknown } }>(`/p/:subdomain/${kind}`, async (request, reply) => {
      const { of } = request.query;
      const portal = await db.selectFrom('portals').select(column).where('subdomain', '=', request.params.subdomain).executeTakeFirst();
      const url = portal?.[column];
      if (!url || url !== of) throw new ApiError('not_found', { resource: 'picture' });
      const { status, type, bytes } = await read(url);
      if (status !== 200) throw new ApiError('not_found', { resource: 'picture' });
      return reply
        .headers({ 'cache-control': 'private, max-age=3600', 'content-security-policy': policy, 'content-type': type })
        .send(bytes);
    });
  }
}
