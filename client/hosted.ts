import { type ErrorBody, type ErrorName, errorCatalogue } from '#protocol/errors.ts';
import { type HostedRouteName, type HostedRoutes, hostedRoutes } from '#protocol/hosted/routes.ts';
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '#protocol/route.ts';
import { ServiceError } from './errors.ts';
import type { ApiReply, ApiRequest, Fetcher } from './ports.ts';
import { retryAfterSeconds } from './retry-after.ts';

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

export interface HostedClient {
  readonly baseUrl: string;
  /**
   * Calls an endpoint by its name in the route table. Failures are `ServiceError`s: by the catalogue's
   * code where the service gave one, `service_refused` for another answer, `service_unreachable` for
   * none. An aborted call rejects with the signal's reason.
   */
  call<N extends HostedRouteName>(name: N, request: HostedRequest<HostedRoutes[N]>): Promise<ReplyOf<HostedRoutes[N]>>;
  /** The same service with another credential. */
  as(credential: HostedCredential): HostedClient;
}

export interface HostedClientOptions {
  /** Where the service is; a path prefix and a slash at the end are fine. */
  readonly baseUrl: string;
  readonly fetcher: Fetcher;
  readonly credential?: HostedCredential;
}

export function createHostedClient({ baseUrl, fetcher, credential = { kind: 'none' } }: HostedClientOptions): HostedClient {
  const base = baseUrl.replace(/\/+$/, '');
  return {
    baseUrl: base,
    as: (other) => createHostedClient({ baseUrl: base, fetcher, credential: other }),
    async call(name, typed) {
      const route: Route = hostedRoutes[name];
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

const nameByCode = new Map<number, ErrorName>(
  (Object.keys(errorCatalogue) as ErrorName[]).map((name) => [errorCatalogue[name].code, name]),
);

function refusal(reply: ApiReply): ServiceError {
  const body = bodyOf(reply.text);
  const more = { answered: reply.status, retryAfter: retryAfterSeconds(reply.headers['retry-after']) };
  const said = typeof body?.message === 'string' ? body.message.slice(0, 2_000) : undefined;
  const known = knownRefusal(body?.code, said, more);
  if (known) return known;
  const detail = said ?? (reply.text.length > 0 ? 'an answer that is not of Longshore' : 'an empty answer');
  return new ServiceError('service_refused', { status: reply.status, detail }, more);
}

function knownRefusal(
  code: unknown,
  said: string | undefined,
  more: { readonly answered: number; readonly retryAfter: number | null },
): ServiceError | null {
  const name = typeof code === 'number' ? nameByCode.get(code) : undefined;
  if (name === undefined) return null;
  const message = said ?? errorCatalogue[name].message;
  return new ServiceError(name, detailsIn(errorCatalogue[name].message, message), { ...more, message });
}

/** The refusal of one among many, whose answer as a whole was a success: as if it had been asked for alone. */
export function refusalIn({ code, message }: ErrorBody): ServiceError {
  const answered = errorCatalogue[nameByCode.get(code) ?? 'service_refused'].status;
  const more = { answered, retryAfter: null };
  return knownRefusal(code, message, more) ?? new ServiceError('service_refused', { status: answered, detail: message }, more);
}

function bodyOf(text: string): { code?: unknown; message?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Reads the `{places}` of a catalogue's sentence back out of the sentence that came. */
function detailsIn(template: string, message: string): Record<string, string> {
  const pattern = template
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 1 ? `(?<${piece}>.*?)` : piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return { ...new RegExp(`^${pattern}$`, 's').exec(message)?.groups };
}
