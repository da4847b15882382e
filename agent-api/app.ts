import { Readable } from 'node:stream';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { TObject } from 'typebox';
import type { Engine } from '#engine/engine.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { type Route, schemasOf } from '#protocol/route.ts';
import { type CallerPolicy, judgeCaller } from './callers.ts';
import { docsRoutes } from './docs.ts';
import { type FailureLog, toApiError } from './failures.ts';
import { type AgentHandlers, agentHandlers, type Context } from './handlers.ts';
import { pages } from './pages.ts';
import { requireToken } from './token-gate.ts';
import { coerceQuery } from './validation.ts';

export interface AgentAppOptions {
  readonly engine: Engine;
  readonly callers: CallerPolicy;
  /** The token that calls must show; `null` on loopback, where none is needed. */
  readonly token: string | null;
  /** Folder with the built GUI pages, or `null` for an agent without. */
  readonly guiDir: string | null;
  readonly version: string;
  readonly log: FailureLog;
  /** Sign-in attempts a minute from one address. */
  readonly loginsPerMinute?: number;
  /** Event streams open at once. */
  readonly maxEventStreams?: number;
}

/** The local API as a Fastify instance that is not listening yet. */
export async function agentApp(options: AgentAppOptions): Promise<FastifyInstance> {
  const { engine, callers, token, guiDir, version, log } = options;
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    forceCloseConnections: true,
    // Nothing is coerced or dropped behind a caller's back; queries are turned by `coerceQuery`.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, strict: false } },
  });
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());

  app.removeContentTypeParser('text/plain');
  app.setErrorHandler((error, _, reply) => sendError(reply, toApiError(error, log)));
  app.setNotFoundHandler((request, reply) => {
    sendError(reply, new ApiError('no_such_endpoint', { method: request.method, path: request.url.split('?')[0]!.slice(0, 200) }));
  });

  app.addHook('onRequest', async (request) => {
    const { host, origin } = request.headers;
    const verdict = judgeCaller(
      { host, origin, secFetchSite: one(request.headers['sec-fetch-site']), secFetchMode: one(request.headers['sec-fetch-mode']) },
      callers,
    );
    if (!verdict.allowed) throw new ApiError(verdict.error, { ...verdict.details });
  });
  if (token !== null) requireToken(app, token);

  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    // Plain HTTP on this machine: a promise of TLS would lock the browser out of other local servers.
    strictTransportSecurity: false,
  });
  await app.register(rateLimit, {
    global: false,
    errorResponseBuilder: (_, { ttl }) => new ApiError('rate_limited', { seconds: Math.max(1, Math.ceil(ttl / 1_000)) }),
  });

  let streams = 0;
  const takeStream = (reply: FastifyReply) => {
    if (streams >= (options.maxEventStreams ?? 100)) throw new ApiError('rate_limited', { seconds: 10 });
    streams += 1;
    reply.raw.once('close', () => {
      streams -= 1;
    });
  };

  for (const [name, route] of Object.entries<Route>(agentRoutes)) {
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: schemasOf(route),
      config: name === 'login' ? { rateLimit: { max: options.loginsPerMinute ?? 10, timeWindow: 60_000 } } : {},
      preValidation: async (request) => {
        request.query = coerceQuery(request.query as Record<string, unknown>, route.query as TObject | undefined);
      },
      handler: async (request, reply) => {
        const handle = agentHandlers[name as keyof AgentHandlers] as Handler | undefined;
        if (!handle) throw new ApiError('not_implemented');
        reply.header('cache-control', 'no-store').code(route.reply.status);
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        const context = {
          engine,
          lastEventId: eventId(one(request.headers['last-event-id'])),
          signal: AbortSignal.any([gone.signal, stopping.signal]),
        };
        const input = { params: request.params, query: request.query, body: request.body };
        if (!('stream' in route.reply)) return reply.send(await handle(input, context));
        if (route.reply.stream === 'text/event-stream') takeStream(reply);
        return reply.type(route.reply.stream).send(Readable.from((await handle(input, context)) as AsyncIterable<string>));
      },
    });
  }

  await app.register(docsRoutes, { version });
  await app.register(pages, { guiDir });
  return app;
}

/** A handler as the loop over the table sees it; `AgentHandlers` holds the types of each. */
type Handler = (input: { params: unknown; query: unknown; body: unknown }, context: Context) => Promise<unknown>;

/** A JSON body whose type is `application/json` to the letter: the framework adds a charset to all but bytes. */
function sendError(reply: FastifyReply, error: ApiError): void {
  if (error.error === 'rate_limited' && error.details['seconds']) reply.header('retry-after', String(error.details['seconds']));
  reply
    .code(error.status)
    .header('cache-control', 'no-store')
    .type('application/json')
    .send(Buffer.from(JSON.stringify(error.body)));
}

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

const eventId = (header: string | undefined): number | null => (header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : null);
