import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { addressKeyOf } from '#net/address-key.ts';
import type { Tracer } from '#net/tracing/span.ts';
import { ApiError } from '#protocol/errors.ts';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import { limits } from '#protocol/limits.ts';
import type { Route } from '#protocol/route.ts';
import { requestCheck } from '#protocol/route-schemas.ts';
import { traceIdName, traceparentName } from '#protocol/trace-context.ts';
import { audited } from './audit/audited.ts';
import type { Credential } from './credentials/credential.ts';
import type { CredentialUsage } from './credentials/credential-usage.ts';
import { resolveCredential } from './credentials/resolve.ts';
import type { Context, OwnPage, Services } from './handler.ts';
import { handlers } from './handlers.ts';
import type { Health } from './health.ts';
import { limitAnswerMemory } from './http/answer-memory.ts';
import { limitBodyMemory } from './http/body-memory.ts';
import { invalidRequest, toFailure } from './http/failures.ts';
import { hostCookie } from './http/host-cookie.ts';
import type { IdempotentCalls } from './http/idempotency.ts';
import { acceptJsonOnly, acceptUnsubscribeForm } from './http/json-bodies.ts';
import { type PagesOptions, pages } from './http/pages.ts';
import { probePeer } from './http/peer-probe.ts';
import { coerceQuery } from './http/query.ts';
import { createRateLimiter, type RequestLimits } from './http/rate-limits.ts';
import { replySender } from './http/replies.ts';
import { headersFor } from './http/security-headers.ts';
import { type StorageGatewayOptions, storageGateway } from './http/storage-gateway.ts';
import { disconnectionOf, type StreamFacts, sendStream } from './http/streams.ts';
import { tellOfUnnamedProxy } from './http/unnamed-proxy.ts';
import { zips } from './http/zips.ts';
import { isId } from './ids.ts';
import { createImageReads, images } from './images/serve.ts';
import type { ServiceMetrics } from './metrics/metrics.ts';
import { portalPictures } from './portals/pictures.ts';
import { noteRefusal } from './quotas/refusal.ts';
import type { Readiness } from './readiness.ts';
import { changesOf, changesPackage } from './realtime/changes.ts';
import { isFromOwnPage } from './sessions/own-page.ts';
import { sessionCookie } from './sessions/session-cookie.ts';
import { inTrace, Trace } from './tracing/current-trace.ts';
import { requestSpans } from './tracing/request-spans.ts';

/** Their handlers check the texts of each file, so that one wrong name does not reject its whole batch. */
const checkedByHandler: ReadonlySet<HostedRouteName> = new Set(['createFile', 'createFiles', 'finalizeFiles', 'recordFiles']);

export interface AppParts {
  readonly services: Services;
  readonly idempotent: IdempotentCalls;
  readonly usage: Pick<CredentialUsage, 'keyUsed' | 'sessionUsed'>;
  readonly limits: RequestLimits;
  readonly health: Health;
  readonly readiness: Pick<Readiness, 'report'>;
  readonly pages: Omit<PagesOptions, 'health' | 'readiness'>;
  readonly logger: FastifyBaseLogger;
  /** Called for each response, if metrics are enabled. */
  readonly answered?: ServiceMetrics['answered'];
  /** Records what requests do, if there is a collector. */
  readonly tracer?: Tracer | null;
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy?: string;
  /** With another storage than local: for small files that are packed there. */
  readonly gateway?: Pick<StorageGatewayOptions, 'packed' | 'secret'> | null;
}

/** Handlers as the loop over the route table sees them; `Handlers` has checked the types of each. */
type AnyInput = { params: unknown; query: unknown; body: unknown };
type AnyHandler = (input: AnyInput, context: Context & { readonly stream?: StreamFacts }) => Promise<unknown>;
interface AnyCreation {
  authorise(input: AnyInput, context: Context): Promise<unknown>;
  make(input: AnyInput, context: Context, access: unknown): Promise<unknown>;
}

/** The hosted API as a Fastify instance that does not listen yet, built from the route table. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { services, idempotent } = parts;
  const app = Fastify({
    loggerInstance: parts.logger,
    // One line per request costs more than the smaller requests themselves; failures are logged.
    logController: new LogController({ disableRequestLogging: true }),
    // No per-request child logger: there are no request lines to correlate, and each failure has its own id.
    childLoggerFactory: (logger) => logger,
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: false },
    exposeHeadRoutes: true,
    trustProxy: parts.trustProxy ?? false,
    // Nothing is coerced or dropped silently: queries are converted by `coerceQuery`. Schemas are validated by
    // test/unit/protocol/routes.test.ts, not at each start, where it would take 60 ms.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, strict: false, validateSchema: false } },
    frameworkErrors: (error, request, reply) => {
      const trace = new Trace(request.headers[traceparentName]);
      return answer(
        reply as unknown as FastifyReply,
        inTrace(trace, () => toFailure(error, parts.logger)),
        trace,
      );
    },
  });

  app.setErrorHandler(async (error, request, reply) => {
    // The client disconnected before the first byte of a page, picture or zip was sent, or while its call waited for
    // others: not an error, and nobody reads a response.
    const { code, name } = error as NodeJS.ErrnoException;
    // The listener has answered, since the request did not come in time.
    if (reply.raw.writableEnded) return reply.hijack();
    if (reply.raw.destroyed && (code === 'ERR_STREAM_PREMATURE_CLOSE' || name === 'AbortError')) return reply.hijack();
    const trace = traceOf(request);
    return await inTrace(trace, async () => {
      const failure = toFailure(error, request.log);
      await noteRefusal(services.db, failure, services.now()).catch((err) => request.log.error({ err }, 'a refusal was not noted'));
      return answer(reply, await known(failure, parts.health), trace);
    });
  });
  app.setNotFoundHandler((request, reply) =>
    answer(
      reply,
      new ApiError('no_such_endpoint', { method: request.method, path: request.url.split('?')[0]!.slice(0, 200) }),
      traceOf(request),
    ),
  );
  acceptJsonOnly(app);
  acceptUnsubscribeForm(app);
  limitBodyMemory(app);
  limitAnswerMemory(app);
  const headers = headersFor(parts.pages.publicUrl);
  // Synchronous hooks use no promises, here and below: each request would create a dozen.
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(headers);
    done();
  });
  tellOfUnnamedProxy(app, parts.trustProxy);
  const { answered } = parts;
  if (answered) {
    app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
      answered({ method, route: routeOptions.url ?? 'none', status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
    });
  }
  const limiter = createRateLimiter(parts.limits, services.strictWindows);
  const resolver = { ...services, usage: parts.usage };
  const cookie = sessionCookie(parts.pages.publicUrl);
  const flowCookie = hostCookie(parts.pages.publicUrl, 'longshore-sso');
  const { origin } = new URL(parts.pages.publicUrl);
  const ownPage = (request: FastifyRequest, reply: FastifyReply): OwnPage | null =>
    isFromOwnPage(request.headers, origin)
      ? {
          setSession: (secret, seconds) => void reply.header('set-cookie', cookie.set(secret, seconds)),
          clearSession: () => void reply.header('set-cookie', cookie.clear()),
          flow: flowCookie.read(request.headers.cookie),
          setFlow: (flow, seconds) => void reply.header('set-cookie', flowCookie.set(flow, seconds)),
          clearFlow: () => void reply.header('set-cookie', flowCookie.clear()),
        }
      : null;
  app.decorateRequest('credential');
  app.decorateRequest('trace', null);
  if (parts.tracer) requestSpans(app, parts.tracer);

  for (const [name, route] of Object.entries(hostedRoutes) as [HostedRouteName, Route][]) {
    const changes = changesPackage(name);
    const ids = [...route.path.matchAll(/\{(\w+_id)\}/g)].map(([, param]) => param!);
    const check = requestCheck(route, invalidRequest);
    const send = replySender(route);
    const behaviour = (handlers as unknown as Record<HostedRouteName, AnyHandler | AnyCreation>)[name];
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: {
        routeName: name,
        checksTexts: checkedByHandler.has(name),
        acceptsForm: name === 'stopNotices',
      },
      // Before the body is read: a caller without a credential must not cause a body to be read.
      onRequest: async (request) => {
        const strict = limiter.count(request, name);
        if (strict) await strict;
        const presented = {
          headers: request.headers,
          query: request.query as Record<string, unknown>,
          params: request.params as Record<string, unknown>,
          session: isFromOwnPage(request.headers, origin) ? cookie.read(request.headers.cookie) : null,
        };
        try {
          request.credential = await resolveCredential(route, presented, resolver);
        } catch (error) {
          if (error instanceof ApiError && error.status === 401) await limiter.countRefusal(request);
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
        const input = { params: request.params, query: request.query, body: request.body };
        const context: Context = {
          ...services,
          credential: request.credential,
          peer: addressKeyOf(request.ip) ?? request.ip,
          device: checkedHeader(request, 'X-Device-Secret', limits.senderSecretMinLength),
          source: { userAgent: request.headers['user-agent'], address: request.ip },
          page: ownPage(request, reply),
          languages: request.headers['accept-language'],
          disconnection: () => disconnectionOf(reply),
          probePeer: () => probePeer(reply),
          log: request.log,
        };
        const trace = traceOf(request);
        if ('stream' in route.reply && typeof behaviour === 'function') {
          const { stream: type } = route.reply;
          return inTrace(trace, () =>
            sendStream(request, reply, type, async (stream) => (await behaviour(input, { ...context, stream })) as AsyncIterable<string>),
          );
        }
        const result = await inTrace(trace, () =>
          typeof behaviour === 'function'
            ? audited(name, input, context, (inside) => behaviour(input, inside))
            : create(name, behaviour, input, context, request),
        );
        if (changes)
          services.events.changed((request.params as { package_id: string }).package_id, () => changesOf(name, { ...input, result }));
        return send(reply, result);
      },
    });
  }
  /** Permissions are checked before a stored response is looked up: a credential, role or Team may be invalid by now. */
  async function create(
    name: HostedRouteName,
    creation: AnyCreation,
    input: AnyInput,
    context: Context,
    request: FastifyRequest,
  ): Promise<unknown> {
    const access = await creation.authorise(input, context);
    const make = (outer: Context) => audited(name, input, outer, (inside) => creation.make(input, inside, access));
    const key = checkedHeader(request, 'Idempotency-Key', 1);
    if (key === null) return await make(context);
    const asked = {
      credential: request.credential,
      sender: { ip: request.ip, secret: checkedHeader(request, 'X-Sender-Secret', limits.senderSecretMinLength) },
      call: `${request.method} ${request.url.split('?')[0]}`,
      key,
      body: request.body,
    };
    return await idempotent.once(asked, (db) => make({ ...context, db }));
  }

  if (parts.gateway) {
    await app.register(storageGateway, { ...parts.gateway, trustProxy: parts.trustProxy, now: services.now, log: parts.logger });
  }
  await app.register(zips, { services, countRefusal: limiter.countRefusal });
  const reads = createImageReads(services);
  await app.register(images, { reads });
  await app.register(portalPictures, { services, images: reads });
  await app.register(pages, { ...parts.pages, health: parts.health, readiness: parts.readiness });
  return app;
}

declare module 'fastify' {
  interface FastifyRequest {
    credential: Credential;
    /** Made when it is first asked for (`traceOf`). */
    trace: Trace | null;
  }
}

/** The trace of a request: the caller's, or one of its own. */
function traceOf(request: FastifyRequest): Trace {
  request.trace ??= new Trace(request.headers[traceparentName]);
  return request.trace;
}

/** Records a full database disk. If the database does not respond because of that, returns the more exact error. */
async function known(error: ApiError, health: Health): Promise<ApiError> {
  if (error.error === 'service_database_full') health.failed('database', error, { passes: true });
  if (error.error !== 'unavailable') return error;
  const problems = await health.problems();
  return problems.some((problem) => problem.error === 'service_database_full') ? new ApiError('service_database_full') : error;
}

/** Seconds after which a retry may help; `null` if unknown. Longer if a person must act first. */
function retryAfter({ error, status }: ApiError): number | null {
  switch (error) {
    case 'service_storage_full':
    case 'service_database_full':
    case 'storage_refused':
      return 30;
    default:
      return status === 503 ? 1 : null;
  }
}

/** An error answer. Its trace id is what the log has it under. */
function answer(reply: FastifyReply, error: ApiError, trace: Trace): FastifyReply {
  const seconds = error.error === 'rate_limited' ? Number(error.details['seconds'] ?? 1) : retryAfter(error);
  if (seconds !== null) reply.header('retry-after', String(seconds));
  reply.header(traceIdName, trace.id);
  return reply.code(error.status).type('application/json').send(JSON.stringify(error.body));
}

/** The validated header value; null if absent. */
function checkedHeader(
  request: FastifyRequest,
  name: 'Idempotency-Key' | 'X-Sender-Secret' | 'X-Device-Secret',
  least: number,
): string | null {
  const value = request.headers[name.toLowerCase()];
  if (typeof value !== 'string' || value === '') return null;
  if (value.length < least || value.length > 255) {
    throw new ApiError('invalid_request', {
      detail: `The header ${name} must have ${least > 1 ? `${least} to 255` : 'at most 255'} characters.`,
    });
  }
  return value;
}
