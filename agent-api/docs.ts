import type { FastifyInstance } from 'fastify';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { type ApiInfo, openApi } from '#protocol/openapi.ts';
import { pendingRoutes } from './pending.ts';

/** `/openapi.json` and `/docs`, made from the route table. */
export async function docsRoutes(app: FastifyInstance, { version }: { version: string }): Promise<void> {
  const info = (host: string): ApiInfo => ({
    title: 'Longshore agent API',
    version,
    description: 'The local API of the Longshore agent: sign-in, Teams, uploads, downloads and live events.',
    serverUrl: `http://${host}`,
    bearerToken: 'Needed when the agent listens beyond this machine.',
    pending: pendingRoutes,
  });
  app.get('/openapi.json', async (request) => openApi(agentRoutes, info(request.host)));
}
