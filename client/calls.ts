import { ApiError } from '#protocol/errors/api-error.ts';
import type { HostedRouteName, HostedRoutes } from '#protocol/hosted/routes.ts';
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '#protocol/route.ts';
import { ServiceError } from './errors.ts';
import type { ApiReply, ApiRequest, Fetcher } from './ports.ts';
import { refusal } from './refusals.ts';
import { pathOf } from './route-path.ts';

/**
 * Credentials of a call (contract/conventions.md §9). A link's secret is sent in the query; `link` is what it asks for
 * besides: its password, and the code that its recipient was mailed or the proof that one gave.
 */
export type HostedCredential =
  | { readonly kind: 'user'; readonly token: string }
  | { readonly kind: 'api_key'; readonly key: string }
  | { readonly kind: 'package'; readonly token: string }
  | { readonly kind: 'access_code'; readonly code: string }
  | { readonly kind: 'link'; readonly password?: string | undefined; readonly code?: string | undefined }
  | { readonly kind: 'gateway'; readonly token: string }
  | { readonly kind: 'transfer'; readonly token: string }
  | { readonly kind: 'none' };

type Has<R extends Route, K extends 'params' | 'query' | 'body', Value> = K extends keyof R
  ? { readonly [P in K]: Value }
  : { readonly [P in K]?: undefined };

/** Optional where all of its fields are optional. */
type HasQuery<R extends Route> = object extends QueryOf<R> ? { readonly query?: QueryOf<R> } : Has<R, 'query', QueryOf<R>>;

/** What a route requires, and what every call may add. */
export type HostedRequest<R extends Route> = Has<R, 'params', ParamsOf<R>> &
  HasQuery<R> &
  Has<R, 'body', BodyOf<R>> & {
    /** Replaces the client's own credential. */
    readonly credential?: HostedCredential;
    readonly signal?: AbortSignal;
    /** For calls that create: a retry with the same key gets the first answer again (idempotent). */
    readonly idempotencyKey?: string;
    /** A random secret, sent with the key. It identifies a caller without an account whose address changes between retries. */
    readonly senderSecret?: string;
    /** For signing in: a random secret of this device. The service recognises the device by it later. */
    readonly deviceSecret?: string;
  };

/** A client of the named routes; of all routes by default. */
export interface HostedClient<Names extends HostedRouteName = HostedRouteName> {
  readonly baseUrl: string;
  /**
   * Calls an endpoint by its name in the route table. Failures are `ServiceError`s: the catalogue's code if the service
   * sent one, `service_refused` for any other answer, `service_unreachable` without an answer. An aborted call rejects
   * with the signal's reason.
   */
  call<N extends Names>(name: N, request: HostedRequest<HostedRoutes[N]>): Promise<ReplyOf<HostedRoutes[N]>>;
  /** The same service with another credential. */
  as(credential: HostedCredential): HostedClient<Names>;
}

export interface HostedClientOptions {
  /** The service's address; a path prefix and a slash at the end are allowed. */
  readonly baseUrl: string;
  readonly fetcher: Fetcher;
  readonly credential?: HostedCredential;
}

/**
 * The part of the route table that a call needs. Pages use it, since the whole table is too large for them. The types
 * keep it equal to the table.
 */
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
        service: base,
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

/** A request without its route's types; they have been checked at this point. */
interface LooseRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly credential?: HostedCredential;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
  readonly senderSecret?: string;
  readonly deviceSecret?: string;
}

async function ask(fetcher: Fetcher, base: string, request: ApiRequest): Promise<ApiReply> {
  try {
    return await fetcher(request);
  } catch (cause) {
    request.signal?.throwIfAborted();
    // The fetcher has already chosen the error.
    if (cause instanceof ApiError) throw cause;
    throw new ServiceError('service_unreachable', { url: base, detail: reason(cause) }, { answered: 0, cause });
  }
}

function reason(cause: unknown): string {
  const code = (cause as { code?: unknown }).code;
  const message = cause instanceof Error ? cause.message : String(cause);
  return (message || (typeof code === 'string' ? code : 'no answer')).replace(/\.$/, '');
}

function searchOf(query: unknown): string {
  if (!query) return '';
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(key, String(one));
  }
  return search.size > 0 ? `?${search}` : '';
}

function headersOf(
  credential: HostedCredential,
  request: Pick<LooseRequest, 'body' | 'idempotencyKey' | 'senderSecret' | 'deviceSecret'>,
): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] = request.idempotencyKey;
  if (request.senderSecret !== undefined) headers['x-sender-secret'] = request.senderSecret;
  if (request.deviceSecret !== undefined) headers['x-device-secret'] = request.deviceSecret;
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
    case 'link':
      if (credential.password) headers['x-link-password'] = encodeURIComponent(credential.password);
      if (credential.code) headers['x-link-code'] = credential.code;
      break;
    case 'gateway':
      headers['x-gateway-token'] = credential.token;
      break;
    case 'transfer':
      headers['x-transfer-token'] = credential.token;
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
      { answered: reply.status, cause, foreign: true },
    );
  }
}
