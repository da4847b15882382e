import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { docsPage, docsStyle } from '#protocol/docs.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { type ApiInfo, openApi } from '#protocol/openapi.ts';
import { pendingRoutes } from '../pending.ts';
import type { PortalHosts } from './portal-hosts.ts';
import { downloadPageHeaders, pageHeaders, scriptHeaders } from './security-headers.ts';

export interface PagesOptions {
  readonly publicUrl: string;
  /** Where the storage answers browsers, for the pages' Content-Security-Policy. */
  readonly storageOrigin: string;
  readonly version: string;
  /** Hosts that are Portals' own. */
  readonly portalHosts: PortalHosts;
  /** Where people get the app, http(s); `/app` leads there. */
  readonly appUrl?: string;
  /** Folder with the built pages; not there, they are answered by a sentence. */
  readonly webDir?: string;
}

const ownWebDir = fileURLToPath(new URL('../../web/dist/', import.meta.url));

/** What is not the API itself: its description, its health, and the pages that senders and recipients open. */
export async function pages(
  app: FastifyInstance,
  { publicUrl, storageOrigin, version, portalHosts, appUrl, webDir = ownWebDir }: PagesOptions,
): Promise<void> {
  const info: ApiInfo = {
    title: 'Longshore API',
    version,
    description: 'Sends large files in packages, and lets recipients download them through links.',
    serverUrl: publicUrl,
    idempotencyKeys: true,
    pending: pendingRoutes,
  };
  const headers = pageHeaders(storageOrigin);
  const scripts = scriptHeaders(storageOrigin);
  // Made when somebody reads it: few do, and it takes as long as much of a start.
  let description: string | undefined;
  let docs: string | undefined;

  app.get('/healthz', (_, reply) => reply.send({ status: 'ok' }));
  app.get('/openapi.json', (_, reply) => {
    description ??= JSON.stringify(openApi(hostedRoutes, info));
    return reply.type('application/json').send(description);
  });
  app.get('/docs', (_, reply) => {
    docs ??= docsPage(hostedRoutes, info);
    return reply.headers(headers).type('text/html; charset=utf-8').send(docs);
  });
  app.get('/docs.css', (_, reply) => reply.headers(headers).type('text/css; charset=utf-8').send(docsStyle));

  // Nothing is served by name from the folder's root, so a page built later needs no restart.
  await app.register(fastifyStatic, { root: fileURLToPath(new URL('../', import.meta.url)), serve: false, preCompressed: true });
  /** One page for every address of its kind: it reads the rest of its address itself. */
  const page = (file: string, name: string, own: Readonly<Record<string, string>>) => async (reply: FastifyReply) => {
    const built = await access(`${webDir}/${file}`).then(
      () => true,
      () => false,
    );
    if (built) return reply.headers(own).sendFile(file, webDir, { cacheControl: false });
    return reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send(`The ${name} page is not built yet. Ask the operator to run: npm run build\n`);
  };
  const downloadPage = page('index.html', 'download', downloadPageHeaders(storageOrigin));
  const uploadPage = page('portal.html', 'upload', headers);
  app.get('/d/*', (_, reply) => downloadPage(reply));
  app.get('/p/*', (_, reply) => uploadPage(reply));
  app.get('/app', (_, reply) => {
    if (appUrl !== undefined) return reply.redirect(appUrl);
    return reply
      .code(404)
      .type('text/plain; charset=utf-8')
      .send('Where the Longshore app can be had is not said here. Ask the operator, who sets it by --app-url.\n');
  });
  app.get('/', (request, reply) => (portalHosts(request.host) === null ? reply.redirect('/docs') : uploadPage(reply)));
  app.get<{ Params: { '*': string } }>('/assets-web/*', (request, reply) =>
    // Names carry a hash of the content.
    reply.headers(scripts).sendFile(`assets-web/${request.params['*']}`, webDir, { maxAge: '365d', immutable: true }),
  );
}
