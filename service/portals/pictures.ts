import type { FastifyInstance, FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#protocol/errors.ts';
import type { Services } from '../handler.ts';
import { isId } from '../ids.ts';
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
 * The logo and background of a Portal, at `/p/{subdomain}/logo?of={address}` for its own page, and at
 * `/d/{link_id}/logo?of=…` for the download pages of what came in through it: fetched by the service, so that no visitor
 * is made known to whoever keeps the picture. `of` has to be what the Portal names: who may see the Portal or has opened
 * the link knows it, nobody else gets anything fetched, and a changed picture has a new address.
 */
export async function portalPictures(app: FastifyInstance, { services }: { readonly services: Services }): Promise<void> {
  const { db, links, webhookCalls } = services;
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

  async function send(reply: FastifyReply, named: string | null | undefined, of: unknown): Promise<FastifyReply> {
    if (!named || named !== of) throw new ApiError('not_found', { resource: 'picture' });
    const { status, type, bytes } = await read(named);
    if (status !== 200) throw new ApiError('not_found', { resource: 'picture' });
    return reply.headers({ 'cache-control': 'private, max-age=3600', 'content-security-policy': policy, 'content-type': type }).send(bytes);
  }

  for (const [kind, column, ofLink] of [
    ['logo', 'logo_url', 'portalLogo'],
    ['background', 'background_url', 'portalBackground'],
  ] as const) {
    app.get<{ Params: { subdomain: string }; Querystring: { of?: unknown } }>(`/p/:subdomain/${kind}`, async (request, reply) => {
      const { subdomain } = request.params;
      const portal = await db.selectFrom('portals').select(column).where('subdomain', '=', subdomain).executeTakeFirst();
      return send(reply, portal?.[column], request.query.of);
    });
    app.get<{ Params: { linkId: string }; Querystring: { of?: unknown } }>(`/d/:linkId/${kind}`, async (request, reply) => {
      const { linkId } = request.params;
      const link = isId(linkId) ? await links.read(linkId) : undefined;
      return send(reply, link?.[ofLink], request.query.of);
    });
  }
}
