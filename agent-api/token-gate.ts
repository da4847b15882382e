import type { FastifyInstance } from 'fastify';
import { ApiError } from '#protocol/errors.ts';
import { sameSecret, shownToken } from './token.ts';

/**
 * Beyond loopback every call of the API shows the agent's token. The pages (which ask the person for it),
 * the docs and the health check hold nothing secret and stand open.
 */
export function requireToken(app: FastifyInstance, token: string): void {
  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.url;
    const open = route !== undefined && !route.startsWith('/api/');
    if (!open && !sameSecret(shownToken(request.headers.authorization), token)) throw new ApiError('agent_token_required');
  });
}
