import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { docsPage, docsStyle } from '#protocol/docs.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { openApi } from '#protocol/openapi.ts';
import type { Health } from '../health.ts';
import type { Readiness } from '../readiness.ts';
import { publicUrls } from '../urls.ts';
import { hostedApiInfo } from './api-info.ts';
import { healthAnswers } from './health-answers.ts';
import { createInlineScripts } from './inline-scripts.ts';
import type { PortalHosts } from './portal-hosts.ts';
import {
  accountPageHeaders,
  consolePageHeaders,
  downloadPageHeaders,
  mailFrameHeaders,
  pageHeaders,
  scriptHeaders,
  withInlineScripts,
} from './security-headers.ts';

export interface PagesOptions {
  readonly publicUrl: string;
  /** The origin of the storage, for the pages' Content-Security-Policy. */
  readonly storageOrigin: string;
  readonly version: string;
  /** Hosts that are Portals' own. */
  readonly portalHosts: PortalHosts;
  /** The address where people download the app, http(s); `/app` redirects there. */
  readonly appUrl?: string;
  readonly health: Pick<Health, 'problems'>;
  readonly readiness: Pick<Readiness, 'report'>;
  /** Folder with the built pages; without it, requests are answered with a sentence. */
  readonly webDir?: string;
}

const ownWebDir = fileURLToPath(new URL('../../web/dist/', import.meta.url));

/** The console writes a mail into it. */
const emptyDocument = '<!doctype html><html lang="en"><head><title>Mail</title></head><body></body></html>\n';

/** Everything besides the API itself: its description, its health, and the pages that senders and recipients open. */
export async function pages(
  app: FastifyInstance,
  { publicUrl, storageOrigin, version, portalHosts, appUrl, health, readiness, webDir = ownWebDir }: PagesOptions,
): Promise<void> {
  const urls = publicUrls(publicUrl);
  const info = hostedApiInfo({ version, serverUrl: publicUrl });
  const headers = pageHeaders(storageOrigin);
  const scripts = scriptHeaders(storageOrigin);
  // Built at the first request: few people read it, and building it takes a large part of the start time. As bytes, which
  // all answers share: a text would be copied for each.
  let description: Buffer | undefined;
  let docs: Buffer | undefined;

  for (const [path, answer] of Object.entries(healthAnswers)) {
    app.get(path, async (_, reply) => {
      const { status, body } = await answer({ health, readiness });
      return reply.code(status).header('cache-control', 'no-store').send(body);
    });
  }
  app.get('/openapi.json', (_, reply) => {
    description ??= Buffer.from(JSON.stringify(openApi(hostedRoutes, info)));
    return reply.type('application/json').send(description);
  });
  app.get('/docs', (_, reply) => {
    docs ??= Buffer.from(docsPage(hostedRoutes, info));
    return reply.headers(headers).type('text/html; charset=utf-8').send(docs);
  });
  app.get('/docs.css', (_, reply) => reply.headers(headers).type('text/css; charset=utf-8').send(docsStyle));

  const inlineScripts = createInlineScripts();
  // Nothing is served by name from the folder's root, so a page built later needs no restart.
  await app.register(fastifyStatic, { root: fileURLToPath(new URL('../', import.meta.url)), serve: false, preCompressed: true });
  /** One page for all addresses of its kind: the page reads the rest of the address itself. */
  const page = (file: string, name: string, own: Readonly<Record<string, string>>) => async (reply: FastifyReply) => {
    const digests = await inlineScripts(`${webDir}/${file}`);
    if (digests) return reply.headers(withInlineScripts(own, digests)).sendFile(file, webDir, { cacheControl: false });
    return reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send(`The ${name} page is not built yet. Ask the operator to run: npm run build\n`);
  };
  const downloadPage = page('index.html', 'download', downloadPageHeaders(storageOrigin));
  const uploadPage = page('portal.html', 'upload', headers);
  const accountPage = page('account.html', 'account', accountPageHeaders());
  app.get('/d/*', (_, reply) => downloadPage(reply));
  app.get('/p/*', (_, reply) => uploadPage(reply));
  // Their tokens are in the address's fragment, which is not sent in requests.
  for (const path of ['/invitation', '/password', '/email', '/unsubscribe']) app.get(path, (_, reply) => accountPage(reply));
  // Mail programs that know no one-click unsubscribing open its address like any other.
  app.get<{ Params: { id: string }; Querystring: { token?: unknown } }>('/v1/notices/:id/stop', ({ params, query }, reply) =>
    reply.redirect(urls.unsubscribePage(encodeURIComponent(params.id), encodeURIComponent(String(query.token ?? '')))),
  );
  app.get('/app', (_, reply) => {
    if (appUrl !== undefined) return reply.redirect(appUrl);
    return reply
      .code(404)
      .type('text/plain; charset=utf-8')
      .send('Where the Longshore app can be had is not said here. Ask the operator, who sets it by --app-url.\n');
  });
  app.get('/mail-frame', (_, reply) => reply.headers(mailFrameHeaders).type('text/html; charset=utf-8').send(emptyDocument));
  // One document for all its addresses: what a person may see there is decided by the API, which it calls.
  const consolePage = page('console.html', 'console', consolePageHeaders(storageOrigin));
  app.get('/', (request, reply) => (portalHosts(request.host) === null ? consolePage(reply) : uploadPage(reply)));
  for (const path of ['/sign-in', '/sso/*', '/profile', '/profile/*', '/t/*', '/operator', '/operator/*'])
    app.get(path, (_, reply) => consolePage(reply));
  // Whoever mistypes an address in a browser sees the console, which says so and leads on; programs get the error.
  app.get('/*', (request, reply) => {
    const isBrowser = request.headers.accept?.includes('text/html') ?? false;
    if (!isBrowser || /^\/v\d/.test(request.url) || portalHosts(request.host) !== null) return reply.callNotFound();
    return consolePage(reply.code(404));
  });
  app.get<{ Params: { '*': string } }>('/assets-web/*', (request, reply) =>
    // File names contain a hash of the content.
    reply.headers(scripts).sendFile(`assets-web/${request.params['*']}`, webDir, { maxAge: '365d', immutable: true }),
  );
}
