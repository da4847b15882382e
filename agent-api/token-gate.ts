import type { FastifyInstance } from 'fastify';
import { ApiError } from '#protocol/errors.ts';
import { sameSecret, shownToken, tokenCookie } from './token.ts';

/**
 * Beyond loopback every call of the API shows the agent's token. The pages, the docs and the health
 * check hold nothing secret and stand open. Opening `/?token=…` once lets a browser in: the token moves
 * into a cookie that scripts cannot read and that other sites' pages cannot send.
 */
export function requireToken(app: FastifyInstance, token: string): void {
  app.addHook('onRequest', async (request, reply) => {
    const url = new URL(request.url, 'http://agent');
    const asked = url.pathname === '/' ? url.searchParams.get('token') : null;
    if (asked !== null) {
      if (!sameSecret(asked, token)) throw new ApiError('agent_token_required');
      return reply.header('set-cookie', `${tokenCookie}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`).redirect('/', 303);
    }
    const route = request.routeOptions.url;
    const open = route !== undefined && !route.startsWith('/api/');
    if (open) return;
    if (!sameSecret(shownToken(request.headers.authorization, request.headers.cookie), token)) throw new ApiError('agent_token_required');
  });
}
