import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { docsPage, docsStyle } from '#protocol/docs.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { type ApiInfo, openApi } from '#protocol/openapi.ts';
import { pendingRoutes } from '../pending.ts';
import { pageHeaders } from './security-headers.ts';

export interface PagesOptions {
  readonly publicUrl: string;
  /** Where the storage answers browsers, for the pages' Content-Security-Policy. */
  readonly storageOrigin: string;
  readonly version: string;
  /** Folder with the built download page; not there, it is answered by a sentence. */
  readonly webDir?: string;
}

const ownWebDir = fileURLToPath(new URL('../../web/dist/', import.meta.url));

/** What is not the API itself: its description, its health, and the page that recipients open. */
export async function pages(app: FastifyInstance, { publicUrl, storageOrigin, version, webDir = ownWebDir }: PagesOptions): Promise<void> {
  const info: ApiInfo = {
    title: 'Longshore API',
    version,
    description: 'Sends large files in packages, and lets recipients download them through links.',
    serverUrl: publicUrl,
    idempotencyKeys: true,
    pending: pendingRoutes,
  };
  const headers = pageHeaders(storageOrigin);
  const description = JSON.stringify(openApi(hostedRoutes, info));
  const docs = docsPage(hostedRoutes, info);

  app.get('/healthz', (_, reply) => reply.send({ status: 'ok' }));
  app.get('/openapi.json', (_, reply) => reply.type('application/json').send(description));
  app.get('/docs', (_, reply) => reply.headers(headers).type('text/html; charset=utf-8').send(docs));
  app.get('/docs.css', (_, reply) => reply.headers(headers).type('text/css; charset=utf-8').send(docsStyle));
  app.get('/', (_, reply) => reply.redirect('/docs'));

  // Nothing is served by name from the folder's root, so a page built later needs no restart.
  await app.register(fastifyStatic, { root: fileURLToPath(new URL('../', import.meta.url)), serve: false });
  const built = () =>
    access(`${webDir}/index.html`).then(
      () => true,
      () => false,
    );
  app.get('/d/*', async (_, reply) => {
    if (await built()) return reply.headers(headers).sendFile('index.html', webDir, { cacheControl: false });
    return reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send('The download page is not built yet. Ask the operator to run: npm run build\n');
  });
  app.get<{ Params: { '*': string } }>('/assets-web/*', (request, reply) =>
    // Names carry a hash of the content.
    reply.headers(headers).sendFile(`assets-web/${request.params['*']}`, webDir, { maxAge: '365d', immutable: true }),
  );
}
