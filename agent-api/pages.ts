import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const notBuilt =
  'The pages of this agent are not built yet. Run `npm run build`, and load this page again. The API is described at /docs.\n';

/** The built GUI at `/`. Without built pages it answers with a plain sentence; the API works in any case. */
export async function pages(app: FastifyInstance, { guiDir }: { guiDir: string | null }): Promise<void> {
  if (guiDir !== null) {
    await app.register(fastifyStatic, {
      root: guiDir,
      // The build has made copies (main/start/compressed.ts).
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        // Vite puts a content hash into asset names, so assets never change. The page that names them may change.
        const immutable = /[\\/]assets[\\/]/.test(path);
        reply.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  app.get('/', async (_, reply) => {
    // Checked on each request: the pages may be built while the agent runs.
    if (guiDir !== null && existsSync(join(guiDir, 'index.html'))) return reply.sendFile('index.html');
    return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
  });
}
