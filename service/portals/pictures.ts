import type { FastifyInstance, FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#protocol/errors.ts';
import type { Services } from '../handler.ts';
import type { OutboundContent } from '../http/outbound.ts';
import { isId } from '../ids.ts';
import { type ImageReads, sendImage } from '../images/serve.ts';

/** Maximum size in bytes. */
const maxBytes = 8 * 1024 * 1024;
const cacheBytes = 64 * 1024 * 1024;
/** How long, in milliseconds, a picture or its absence is cached. */
const cacheMilliseconds = 10 * 60_000;
const types: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']);

/** An SVG may contain scripts; opened as a page it must not run any. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * The logo and background of a Portal, at `/p/{subdomain}/logo?of={address}` for its own page, and at
 * `/d/{link_id}/logo?of=…` for the download pages of packages received through it. The service fetches them, so that
 * the picture's host learns nothing about visitors; an uploaded one is read from the storage. `of` must be the Portal's current address of the picture. Only
 * those who know the Portal's address or have opened the link know it, so nobody else can cause a request. A changed picture
 * has a new address.
 */
export async function portalPictures(
  app: FastifyInstance,
  { services, images }: { readonly services: Services; readonly images: ImageReads },
): Promise<void> {
  const { db, links, outbound } = services;
  const cache = new LRUCache<string, OutboundContent>({
    maxSize: cacheBytes,
    sizeCalculation: ({ bytes }) => bytes.length + 1_024,
    ttl: cacheMilliseconds,
  });
  const underWay = new Map<string, Promise<OutboundContent>>();

  async function read(url: string): Promise<OutboundContent> {
    const known = cache.get(url);
    if (known) return known;
    const asked =
      underWay.get(url) ??
      outbound
        .read(url, maxBytes, new AbortController().signal)
        // Failures are cached too, so that nobody can make the service send requests again and again.
        .catch((): OutboundContent => ({ status: 502, type: '', bytes: Buffer.alloc(0) }))
        .then((answer) => (answer.status === 200 && types.has(answer.type) ? answer : { ...answer, status: 502, bytes: Buffer.alloc(0) }))
        .finally(() => underWay.delete(url));
    underWay.set(url, asked);
    const answer = await asked;
    cache.set(url, answer);
    return answer;
  }

  async function send(
    reply: FastifyReply,
    named: string | null | undefined,
    imageId: string | null | undefined,
    of: unknown,
  ): Promise<FastifyReply> {
    if (!named || named !== of) throw new ApiError('not_found', { resource: 'picture' });
    const uploaded = imageId ? await images.read(imageId) : undefined;
    if (uploaded) return sendImage(reply, uploaded);
    const { status, type, bytes } = await read(named);
    if (status !== 200) throw new ApiError('not_found', { resource: 'picture' });
    return reply.headers({ 'cache-control': 'private, max-age=3600', 'content-security-policy': policy, 'content-type': type }).send(bytes);
  }

  for (const [kind, column, image, ofLink, imageOfLink] of [
    ['logo', 'logo_url', 'logo_image_id', 'portalLogo', 'portalLogoImage'],
    ['background', 'background_url', 'background_image_id', 'portalBackground', 'portalBackgroundImage'],
  ] as const) {
    app.get<{ Params: { subdomain: string }; Querystring: { of?: unknown } }>(`/p/:subdomain/${kind}`, async (request, reply) => {
      const { subdomain } = request.params;
      const portal = await db
        .selectFrom('portals')
        .innerJoin('teams', 'teams.id', 'portals.team_id')
        .select([`portals.${column}`, `portals.${image}`, `teams.${column} as team_url`, `teams.${image} as team_image`])
        .where('portals.subdomain', '=', subdomain)
        .executeTakeFirst();
      // What the Portal leaves open is the Team's.
      const [url, uploaded] = portal?.[column] ? [portal[column], portal[image]] : [portal?.team_url, portal?.team_image];
      return send(reply, url, uploaded, request.query.of);
    });
    app.get<{ Params: { linkId: string }; Querystring: { of?: unknown } }>(`/d/:linkId/${kind}`, async (request, reply) => {
      const { linkId } = request.params;
      const link = isId(linkId) ? await links.read(linkId) : undefined;
      return send(reply, link?.[ofLink], link?.[imageOfLink], request.query.of);
    });
  }
}
