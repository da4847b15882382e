import type { HostedRouteName, HostedRoutes } from '#protocol/hosted/routes.ts';
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '#protocol/route.ts';
import { ServiceError } from './errors.ts';
import type { ApiReply, ApiRequest, Fetcher } from './ports.ts';
import { refusal } from './refusals.ts';

/** What a call proves itself with (interface §5). A link's secret goes in the query; this is its password. */
export type HostedCredential =
  | { readonly kind: 'user'; readonly token: string }
  | { readonly kind: 'api_key'; readonly key: string }
  | { readonly kind: 'package'; readonly token: string }
  | { readonly kind: 'access_code'; readonly code: string }
  | { readonly kind: 'link_password'; readonly password: string }
  | { readonly kind: 'none' };

type Has<R extends Route, K extends 'params' | 'query' | 'body', Value> = K extends keyof R
  ? { readonly [P in K]: Value }
  : { readonly [P in K]?: undefined };

/** What a route needs, and what every call may add. */
export type HostedRequest<R extends Route> = Has<R, 'params', ParamsOf<R>> &
  Has<R, 'query', QueryOf<R>> &
  Has<R, 'body', BodyOf<R>> & {
    /** Instead of the client's own. */
    readonly credential?: HostedCredential;
    readonly signal?: AbortSignal;
    /** For calls that create: asked again with the same key, the first answer comes again. */
    readonly idempotencyKey?: string;
  };

/** A client of the routes that are named; of all, unless others are. */
export interface HostedClient<Names extends HostedRouteName = HostedRouteName> {
  readonly baseUrl: string;
  /**
   * Calls an endpoint by its name in the route table. Failures are `ServiceError`s: by the catalogue's
   * code where the service gave one, `service_refused` for another answer, `service_unreachable` for
   * none. An aborted call rejects with the signal's reason.
   */
  call<N extends Names>(name: N, request: HostedRequest<HostedRoutes[N]>): Promise<ReplyOf<HostedRoutes[N]>>;
  /** The same service with another credential. */
  as(credential: HostedCredential): HostedClient<Names>;
}

export interface HostedClientOptions {
  /** Where the service is; a path prefix and a slash at the end are fine. */
  readonly baseUrl: string;
  readonly fetcher: Fetcher;
  readonly credential?: HostedCredential;
}

/** What a call has to know of its route: for pages, which cannot afford the whole table. Its types hold it to the table. */
export type CallableRoutes<Names extends HostedRouteName> = {
  readonly [N in Names]: Pick<HostedRoutes[N], 'method' | 'path'> & { readonly reply: Pick<HostedRoutes[N]['reply'], 'status'> };
};

interface CallableRoute {
  readonly method: string;
  readonly path: string;
  readonly reply: { readonly status: number };
}

export function createClientOf<Names extends HostedRouteName>(
  routes: CallableRoutes<Names>,
  { baseUrl, fetcher, credential = { kind: 'none' } }: HostedClientOptions,
): HostedClient<Names> {
  const base = baseUrl.replace(/\/+$/, '');
  return {
    baseUrl: base,
    as: (other) => createClientOf(routes, { baseUrl: base, fetcher, credential: other }),
    async call(name, typed) {
      const route: CallableRoute = routes[name];
      const request: LooseRequest = typed;
      const reply = await ask(fetcher, base, {
        method: route.method,
        url: base + pathOf(route.path, request.params) + searchOf(request.query),
        headers: headersOf(request.credential ?? credential, request),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(request.signal ? { signal: request.signal } : {}),
      });
      if (reply.status !== route.reply.status) throw refusal(reply);
      if (route.reply.status === 204) return undefined as ReplyOf<HostedRoutes[typeof name]>;
      return parsed(reply) as ReplyOf<HostedRoutes[typeof name]>;
    },
  };
}

/** A request once its route's types have done their work. */
interface LooseRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly credential?: HostedCredential;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

async function ask(fetcher: Fetcher, base: string, request: ApiRequest): Promise<ApiReply> {
  try {
    return await fetcher(request);
  } catch (cause) {
    request.signal?.throwIfAborted();
    throw new ServiceError('service_unreachable', { url: base, detail: reason(cause) }, { answered: 0, cause });
  }
}

function reason(cause: unknown): string {
  const code = (cause as { code?: unknown }).code;
  const message = cause instanceof Error ? cause.message : String(cause);
  return (message || (typeof code === 'string' ? code : 'no answer')).replace(/\.$/, '');
}

function pathOf(template: string, params: unknown): string {
  const values = (params ?? {}) as Record<string, unknown>;
  return template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values[key])));
}

function searchOf(query: unknown): string {
  if (!query) return '';
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(key, String(one));
  }
  return search.size > 0 ? `?${search}` : '';
}

function headersOf(credential: HostedCredential, request: { body?: unknown; idempotencyKey?: string }): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] = request.idempotencyKey;
  switch (credential.kind) {
    case 'user':
      headers['x-user-token'] = credential.token;
      break;
    case 'api_key':
      headers['x-api-key'] = credential.key;
      break;
    case 'package':
      headers['x-package-token'] = credential.token;
      break;
    case 'access_code':
      headers['x-access-code'] = encodeURIComponent(credential.code);
      break;
    case 'link_password':
      headers['x-link-password'] = encodeURIComponent(credential.password);
      break;
    case 'none':
      break;
  }
  return headers;
}

function parsed(reply: ApiReply): unknown {
  try {
    return JSON.parse(reply.text);
  } catch (cause) {
    throw new ServiceError(
      'service_refused',
      { status: reply.status, detail: 'what came is not JSON. Is this the address of a Longshore service?' },
      { answered: reply.status, cause },
    );
  }
}
