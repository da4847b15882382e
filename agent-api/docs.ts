import type { FastifyInstance } from 'fastify';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { docsPage, docsStyle } from '#protocol/docs.ts';
import { type ApiInfo, openApi } from '#protocol/openapi.ts';

/** The general part of the local API's OpenAPI description. `serverUrl` has no slash at the end. */
export function agentApiInfo({ version, serverUrl }: { readonly version: string; readonly serverUrl: string }): ApiInfo {
  return {
    title: 'Longshore agent API',
    version,
    description:
      'The local API of the Longshore agent: sign-in, Teams, uploads, downloads and live events. Besides the errors named, any call may be answered 403 `foreign_user` (other users of the machine), `unknown_host` or `foreign_origin` (pages of others), 401 `agent_token_required`, and 403 `not_allowed` where a token does not cover it.',
    serverUrl,
    bearerToken:
      "Needed when the agent listens beyond this machine, or was started with --require-token: the agent's own, from the file `api-token` of its data folder, or one made for an application by POST /api/v1/tokens, which holds on this machine too.",
  };
}

/** `/openapi.json` and `/docs`, generated from the route table. */
export async function docsRoutes(app: FastifyInstance, { version }: { version: string }): Promise<void> {
  const info = (host: string) => agentApiInfo({ version, serverUrl: `http://${host}` });
  app.get('/openapi.json', async (request) => openApi(agentRoutes, info(request.host)));
  app.get('/docs', async (request, reply) => reply.type('text/html; charset=utf-8').send(docsPage(agentRoutes, info(request.host))));
  app.get('/docs.css', async (_, reply) => reply.type('text/css; charset=utf-8').send(docsStyle));
}
