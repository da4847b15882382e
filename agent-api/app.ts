import { Readable } from 'node:stream';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { inCallTrace } from '#engine/call-trace.ts';
import type { Engine } from '#engine/engine.ts';
import { addressKeyOf } from '#net/address-key.ts';
import { lingerOnEarlyAnswers } from '#net/linger.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { type Need, needOf } from '#protocol/agent/scopes.ts';
import { AgentError, type ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Route } from '#protocol/route.ts';
import { jsonType, replyWriter, requestCheck } from '#protocol/route-schemas.ts';
import { parseTraceparent, type TraceContext, traceIdName, traceparentName, traceparentOf } from '#protocol/trace-context.ts';
import { type Caller, callerOf, checkNeed, createWrongTokens, isRestricted } from './access.ts';
import { acceptJson } from './bodies.ts';
import { type CallerPolicy, judgeCaller } from './callers.ts';
import { docsRoutes } from './docs.ts';
import { type FailureLog, isOutsidePages, refuseMalformed, toApiError } from './failures.ts';
import type { AgentHandlers, Context } from './handler.ts';
import { agentHandlers } from './handlers.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createPageEntry, type PageEntry } from './page-entry.ts';
import { pages } from './pages.ts';
import { checkAutomationScope, checkPathScope, pathsIn } from './path-scope.ts';
import type { UserGuard } from './peers/user-guard.ts';
import { createStreamPermits } from './stream-permits.ts';
import { coerceQuery, invalidRequest } from './validation.ts';

export interface AgentAppOptions {
  readonly engine: Engine;
  readonly callers: CallerPolicy;
  /** Refuses other users of this machine; `null` where the system cannot tell users apart. */
  readonly users?: UserGuard | null;
  /** Whether every call needs a token. If so, other users of this machine may call too, with a valid token. */
  readonly tokenNeeded: boolean;
  /** The agent's own token. Where no token is required: `null`, or the token of an earlier start. */
  readonly token: string | null;
  /** How the page signs in where a token is required. */
  readonly entry?: PageEntry;
  /** Folder with the built GUI pages; `null` for an agent without pages. */
  readonly guiDir: string | null;
  readonly version: string;
  readonly log: FailureLog;
  /** Sign-in attempts a minute from one address. */
  readonly loginsPerMinute?: number;
  /** Wrong tokens a minute from one address. */
  readonly wrongTokensPerMinute?: number;
  /** Event streams open at once. */
  readonly maxEventStreams?: number;
}

/** The local API as a Fastify instance that is not listening yet. */
export async function agentApp(options: AgentAppOptions): Promise<FastifyInstance> {
  const { engine, callers, users = null, tokenNeeded, token, guiDir, version, log, entry = createPageEntry() } = options;
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    forceCloseConnections: true,
    // Bodies are never coerced and no field is dropped silently; queries are converted by `coerceQuery`.
    // test/unit/protocol/routes.test.ts checks that the schemas are valid. Checking in each process would cost 60 ms.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, strict: false, validateSchema: false } },
    // Before any hook: what is asked for cannot be made out.
    frameworkErrors: (error, _, reply) => sendError(reply as unknown as FastifyReply, toApiError(error, log, null)),
    clientErrorHandler: refuseMalformed,
  });
  lingerOnEarlyAnswers(app.server);
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());

  app.removeContentTypeParser('text/plain');
  acceptJson(app);
  const metrics = createMetrics(engine, stopping.signal);
  const sendError = (reply: FastifyReply, error: ApiError): void => {
    metrics.calls.failed(error.error);
    answerError(reply, error);
  };
  app.addHook('onResponse', async (_, reply) => metrics.calls.answered(reply.statusCode));
  const noEndpoint = ({ method, url }: FastifyRequest): ApiError =>
    new AgentError('no_such_endpoint', { method, path: url.split('?')[0]!.slice(0, 200) });
  app.setErrorHandler((error, request, reply) => {
    sendError(reply, isOutsidePages(error) ? noEndpoint(request) : toApiError(error, log, traceOf(request)?.traceId ?? null));
  });
  app.setNotFoundHandler((request, reply) => sendError(reply, noEndpoint(request)));

  // Registered first, so that refusals carry these headers too.
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
    // This is plain HTTP on this machine. HSTS would lock the browser out of other local servers.
    strictTransportSecurity: false,
  });
  if (users) {
    app.addHook('onRequest', async ({ raw: { socket }, routeOptions: { url } }, reply) => {
      // The page's address holds a code that all users can read: it is in a command line while a browser is started.
      if (tokenNeeded && url !== agentRoutes.enterPage.path) return;
      try {
        const looking = users.check(socket);
        if (looking) await looking;
      } catch (error) {
        reply.header('connection', 'close');
        throw error;
      }
    });
  }
  app.addHook('onRequest', async (request) => {
    const { host, origin } = request.headers;
    const sec = (name: string) => one(request.headers[`sec-fetch-${name}`]);
    const api = request.routeOptions.config?.need !== undefined || asksForApi(request.url);
    const verdict = judgeCaller(
      { host, origin, api, secFetchSite: sec('site'), secFetchMode: sec('mode'), secFetchDest: sec('dest') },
      callers,
    );
    if (!verdict.allowed) throw new AgentError(verdict.error, { ...verdict.details });
  });

  const access = { tokenNeeded, local: callers.loopback, token, tokens: engine.tokens, pages: entry };
  const wrong = createWrongTokens(options.wrongTokensPerMinute ?? 20);
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const need = request.routeOptions.config?.need ?? (asksForApi(request.url) ? 'all' : 'open');
    const { authorization } = request.headers;
    const caller = callerOf(authorization, access);
    if (caller !== null && caller !== 'wrong') request.caller = caller;
    // The pages (which ask the person for the token), the docs and the health check hold nothing secret.
    if (need === 'open') return;
    if (caller === 'wrong') throw wrong.count(addressKeyOf(request.ip) ?? request.ip);
    if (caller === null) throw new AgentError('agent_token_required');
    checkNeed(caller, need);
  });
  // `onSend` runs when the answer starts, so an event stream is logged when it begins, not when it ends.
  app.addHook('onSend', async ({ caller, method, url, ip }, reply) => {
    if (caller?.kind !== 'application') return;
    engine.tokens.note(caller.holder.id, { method, path: url.split('?')[0]!, status: reply.statusCode, address: ip });
  });

  await app.register(rateLimit, {
    global: false,
    keyGenerator: ({ ip }) => addressKeyOf(ip) ?? ip,
    errorResponseBuilder: (_, { ttl }) => new AgentError('rate_limited', { seconds: Math.max(1, Math.ceil(ttl / 1_000)) }),
  });

  const streams = createStreamPermits(options.maxEventStreams ?? 100);
  const takeStream = (reply: FastifyReply, caller: Caller | null) => {
    const release = streams.acquire(caller);
    metrics.calls.streams += 1;
    reply.raw.once('close', () => {
      metrics.calls.streams -= 1;
      release();
    });
  };

  const addRoute = (to: FastifyInstance, name: string, route: Route): void => {
    const check = requestCheck(route, invalidRequest);
    const write = replyWriter(route);
    to.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: {
        need: needOf(route),
        ...((name === 'login' || name === 'createSession' || name === 'startSsoSignIn') && {
          rateLimit: { max: options.loginsPerMinute ?? 10, timeWindow: 60_000 },
        }),
      },
      preValidation: async (request) => {
        request.query = coerceQuery(request.query as Record<string, unknown>, route.query as TObject | undefined);
        check(request);
      },
      handler: async (request, reply) => {
        const handle = agentHandlers[name as keyof AgentHandlers] as Handler;
        reply.header('cache-control', 'no-store').code(route.reply.status);
        const { caller } = request;
        const body = route.bytes ? (request.body ?? received([])) : request.body;
        const restricted = caller !== null && isRestricted(caller);
        const paths = pathsIn(name, body);
        if (paths.length > 0) await engine.folders.answer(paths);
        if (restricted) {
          checkPathScope(name, body, engine.folders);
          await checkAutomationScope(name, request.params, engine);
        }
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        const context = {
          engine,
          metrics,
          entry,
          wrong: () => wrong.count(addressKeyOf(request.ip) ?? request.ip),
          restricted,
          lastEventId: eventId(one(request.headers['last-event-id'])),
          signal: AbortSignal.any([gone.signal, stopping.signal, ...endsOf(caller)]),
        };
        const input = { params: request.params, query: request.query, body };
        const trace = traceOf(request);
        const run = () => inCallTrace(trace && traceparentOf(trace), () => handle(input, context));
        if (!('stream' in route.reply)) {
          const result = await run();
          return write && result !== undefined ? reply.type(jsonType).send(write(reply, result)) : reply.send(result);
        }
        if (route.reply.stream === 'text/event-stream') takeStream(reply, caller);
        const answer = await run();
        if (route.reply.stream === 'application/zip') reply.header('content-disposition', attachment(new Date()));
        return reply.type(route.reply.stream).send(typeof answer === 'string' ? answer : Readable.from(answer as AsyncIterable<string>));
      },
    });
  };
  const routes = Object.entries<Route>(agentRoutes);
  for (const [name, route] of routes) if (!route.bytes) addRoute(app, name, route);
  // In a scope of their own: elsewhere a body of bytes is refused.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/octet-stream', (_, payload, done) => done(null, received(payload)));
    for (const [name, route] of routes) if (route.bytes) addRoute(scope, name, route);
  });

  await app.register(docsRoutes, { version });
  await app.register(pages, { guiDir });
  return app;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the caller is identified. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    need?: Need;
  }
}

/** Signals that end a caller's streams: the token was deleted, or it expired. */
function endsOf(caller: Caller | null): AbortSignal[] {
  if (caller?.kind !== 'application') return [];
  const { ended, expiresAt } = caller.holder;
  return expiresAt === null ? [ended] : [ended, AbortSignal.timeout(Math.min(Math.max(0, expiresAt - Date.now()), longestTimer))];
}

/** The longest timer that Node accepts, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** A handler as the loop over the route table calls it; `AgentHandlers` has the exact types. */
type Handler = (input: { params: unknown; query: unknown; body: unknown }, context: Context) => Promise<unknown>;

/** The bytes of a body. A caller that goes away amid them is no failure of the agent. */
async function* received(payload: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* payload;
  } catch (cause) {
    throw new AgentError('transfer_conflict', { detail: 'The connection was lost before all bytes had come.' }, { cause });
  }
}

/** Sends a JSON body with exactly `application/json`. The framework adds a charset to everything except bytes. */
function answerError(reply: FastifyReply, error: ApiError): void {
  if (error.error === 'rate_limited' && error.details['seconds']) reply.header('retry-after', String(error.details['seconds']));
  // Of a refusal of a service, passed on; and of what only this agent's log explains.
  const traceId = 'traceId' in error ? error.traceId : error.error === 'internal' ? error.details['id'] : '';
  if (typeof traceId === 'string' && traceId !== '') reply.header(traceIdName, traceId);
  reply
    .code(error.status)
    .header('cache-control', 'no-store')
    .type('application/json')
    .send(Buffer.from(JSON.stringify(error.body)));
}

/**
 * Whether an address without a route is an API address. An address with a route is judged by the route, never by its
 * spelling: for the router `/%61pi/v1/login` and `http://127.0.0.1:8090/api/v1/login` are the same.
 */
function asksForApi(url: string): boolean {
  try {
    return /^\/+(?:api|metrics)\b/.test(decodeURIComponent(new URL(url.replace(/^\/+/, '/'), 'http://agent').pathname));
  } catch {
    return true;
  }
}

/** The trace that the caller named, as the agent's page does for each call. */
const traceOf = ({ headers }: Pick<FastifyRequest, 'headers'>): TraceContext | null => parseTraceparent(headers[traceparentName]);

const attachment = (now: Date): string => `attachment; filename="longshore-support-${now.toISOString().slice(0, 10)}.zip"`;

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

/** An agent's event ids have sixteen digits (engine/event-replay.ts). */
const eventId = (header: string | undefined): number | null => {
  const id = /^\d{1,16}$/.test(header ?? '') ? Number(header) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
};
