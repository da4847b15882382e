import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { ApiError } from '#protocol/errors.ts';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import { limits } from '#protocol/limits.ts';
import { creates } from '#protocol/openapi.ts';
import type { Route } from '#protocol/route.ts';
import { requestCheck } from '#protocol/route-schemas.ts';
import type { Credential } from './credentials/credential.ts';
import { resolveCredential } from './credentials/resolve.ts';
import type { Context, Services } from './handler.ts';
import { handlers } from './handlers.ts';
import { invalidRequest, toFailure } from './http/failures.ts';
import type { IdempotentCalls } from './http/idempotency.ts';
import { acceptJsonOnly } from './http/json-bodies.ts';
import { type PagesOptions, pages } from './http/pages.ts';
import { coerceQuery } from './http/query.ts';
import { createRateLimiter, type RequestLimits } from './http/rate-limits.ts';
import { replySender } from './http/replies.ts';
import { headersFor } from './http/security-headers.ts';
import { type StreamFacts, sendStream } from './http/streams.ts';
import { zips } from './http/zips.ts';
import { isId } from './ids.ts';
import type { ServiceMetrics } from './metrics/metrics.ts';
import { portalPictures } from './portals/pictures.ts';
import { changesOf, changesPackage } from './realtime/changes.ts';

export interface AppParts {
  readonly services: Services;
  readonly idempotent: IdempotentCalls;
  readonly keyUsed: (keyId: string, at: Date) => void;
  readonly limits: RequestLimits;
  readonly pages: PagesOptions;
  readonly logger: FastifyBaseLogger;
  /** Told of each answer, where somebody measures. */
  readonly answered?: ServiceMetrics['answered'];
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: string;
}

/** A handler as the table's loop sees it; `Handlers` has checked the types of each. */
type AnyHandler = (
  input: { params: unknown; query: unknown; body: unknown },
  context: Context & { readonly stream?: StreamFacts },
) => Promise<unknown>;

/** The hosted API as a Fastify instance that does not listen yet, made from the route table. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { services, idempotent } = parts;
  const app = Fastify({
    loggerInstance: parts.logger,
    // One line per request costs more than the smaller requests themselves; failures are logged.
    logController: new LogController({ disableRequestLogging: true }),
    // So there are no lines of one request to be told by its number, and a failure has an id of its own.
    childLoggerFactory: (logger) => logger,
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    trustProxy: parts.trustProxy ?? false,
    // Nothing is coerced or dropped behind a caller's back: queries are turned by `coerceQuery`.
    // Whether a schema is one is seen by test/unit/protocol/routes.test.ts, not by each process: that takes one 60 ms.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, strict: false, validateSchema: false } },
    frameworkErrors: (error, _request, reply) => answer(reply as unknown as FastifyReply, toFailure(error, parts.logger)),
  });

  app.setErrorHandler((error, request, reply) => answer(reply, toFailure(error, request.log)));
  app.setNotFoundHandler((request, reply) =>
    answer(reply, new ApiError('no_such_endpoint', { method: request.method, path: request.url.split('?')[0]!.slice(0, 200) })),
  );
  acceptJsonOnly(app);
  const headers = headersFor(parts.pages.publicUrl);
  // What needs no waiting is no promise, here and below: each request would make a dozen.
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(headers);
    done();
  });
  const { answered } = parts;
  if (answered) {
    app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
      answered({ method, route: routeOptions.url ?? 'none', status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
    });
  }
  const limiter = createRateLimiter(parts.limits);
  const resolver = { ...services, keyUsed: parts.keyUsed };
  app.decorateRequest('credential');

  for (const [name, route] of Object.entries(hostedRoutes) as [HostedRouteName, Route][]) {
    const changes = changesPackage(name);
    const ids = [...route.path.matchAll(/\{(\w+_id)\}/g)].map(([, param]) => param!);
    const check = requestCheck(route, invalidRequest);
    const send = replySender(route);
    const handle = (handlers as Partial<Record<HostedRouteName, AnyHandler>>)[name];
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { judgesTexts: name === 'createFile' || name === 'createFiles' || name === 'finalizeFiles' },
      // Before the body is read: nobody without a credential makes us read one.
      onRequest: async (request) => {
        limiter.count(request, name);
        const shown = {
          headers: request.headers,
          query: request.query as Record<string, unknown>,
          params: request.params as Record<string, unknown>,
        };
        try {
          request.credential = await resolveCredential(route, shown, resolver);
        } catch (error) {
          if (error instanceof ApiError && error.status === 401) limiter.countRefusal(request);
          throw error;
        }
      },
      preValidation: (request, _, done) => {
        const params = request.params as Readonly<Record<string, string>>;
        for (const id of ids) {
          if (!isId(params[id]!)) throw new ApiError('not_found', { resource: id.replace(/_id$/, '').replaceAll('_', ' ') });
        }
        request.query = coerceQuery(request.query as Record<string, unknown>, route.query);
        check(request);
        done();
      },
      handler: async (request, reply) => {
        if (!handle) throw new ApiError('not_implemented');
        const input = { params: request.params, query: request.query, body: request.body };
        const context: Context = { ...services, credential: request.credential, ip: request.ip, log: request.log };
        if ('stream' in route.reply) {
          return sendStream(
            request,
            reply,
            route.reply.stream,
            async (stream) => (await handle(input, { ...context, stream })) as AsyncIterable<string>,
          );
        }
        const key = creates(route) ? request.headers['idempotency-key'] : undefined;
        const result =
          typeof key === 'string' && key !== ''
            ? await idempotent.once(
                {
                  credential: request.credential,
                  call: `${route.method} ${request.url.split('?')[0]}`,
                  key: checkedKey(key),
                  body: request.body,
                },
                (db) => handle(input, { ...context, db }),
              )
            : await handle(input, context);
        if (changes)
          services.events.changed((request.params as { package_id: string }).package_id, () => changesOf(name, { ...input, result }));
        return send(reply, result);
      },
    });
  }
  await app.register(zips, { services, countRefusal: limiter.countRefusal });
  await app.register(portalPictures, { services });
  await app.register(pages, parts.pages);
  return app;
}

declare module 'fastify' {
  interface FastifyRequest {
    credential: Credential;
  }
}

function answer(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.error === 'rate_limited') reply.header('retry-after', String(error.details['seconds'] ?? 1));
  if (error.status === 503) reply.header('retry-after', '1');
  return reply.code(error.status).type('application/json').send(JSON.stringify(error.body));
}

function checkedKey(key: string): string {
  if (key.length > 255) throw new ApiError('invalid_request', { detail: 'The header Idempotency-Key must have at most 255 characters.' });
  return key;
}
