import type { FastifyInstance } from 'fastify';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { docsPage, docsStyle } from '#protocol/docs.ts';
import { type ApiInfo, openApi } from '#protocol/openapi.ts';
import { pendingRoutes } from './pending.ts';

/** `/openapi.json` and `/docs`, made from the route table. */
export async function docsRoutes(app: FastifyInstance, { version }: { version: string }): Promise<void> {
  const info = (host: string): ApiInfo => ({
    title: 'Longshore agent API',
    version,
    description:
      'The local API of the Longshore agent: sign-in, Teams, uploads, downloads and live events. Besides the errors named, any call may be answered 403 `unknown_host` or `foreign_origin` (pages of others), 401 `agent_token_required`, and 403 `not_allowed` where a token does not cover it.',
    serverUrl: `http://${host}`,
    bearerToken:
      "Needed when the agent listens beyond this machine: the agent's own, from the file `api-token` of its data folder, or one made for an application by POST /api/v1/tokens, which holds on this machine too.",
    pending: pendingRoutes,
  });
  app.get('/openapi.json', async (request) => openApi(agentRoutes, info(request.host)));
  app.get('/docs', async (request, reply) => reply.type('text/html; charset=utf-8').send(docsPage(agentRoutes, info(request.host))));
  app.get('/docs.css', async (_, reply) => reply.type('text/css; charset=utf-8').send(docsStyle));
}
