import type { AgentRouteName, AgentRoutes } from '#protocol/agent/routes.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '#protocol/route.ts';
import { traceIdName } from '#protocol/trace-context.ts';
import { AgentCallError } from './agent-call-error.ts';
import { pathOf } from './route-path.ts';

/** Sends one request to the agent: `fetch` with a path in place of an address. It rejects when there is no answer. */
export type AgentTransport = (path: string, init: RequestInit) => Promise<Response>;

/** Routes whose reply is a stream: events, a receipt, a zip. */
export type AgentStreamName = {
  [Name in AgentRouteName]: AgentRoutes[Name]['reply'] extends { readonly stream: string } ? Name : never;
}[AgentRouteName];

/** Routes whose reply is JSON or empty. */
export type AgentCallName = Exclude<AgentRouteName, AgentStreamName>;

/** `Shape` where the route declares the part, nothing where it does not. */
type Part<R extends Route, Key extends keyof Route, Shape> = undefined extends R[Key] ? unknown : Shape;
type RequestOf<R extends Route> = Part<R, 'params', { readonly params: ParamsOf<R> }> &
  (R extends { readonly bytes: true } ? { readonly body: Blob } : Part<R, 'body', { readonly body: BodyOf<R> }>) &
  Part<R, 'query', { readonly query?: Partial<QueryOf<R>> }>;

/** What a route requires (`params` and `body` where it has them, any fields of `query`), and what every call may add. */
export type AgentRequest<Name extends AgentRouteName> = RequestOf<AgentRoutes[Name]> & {
  readonly signal?: AbortSignal;
  /** In a browser: the request is sent even if the page is closed. */
  readonly keepalive?: boolean;
};

/**
 * The agent's local API (contract/agent.md §1). Failures are `AgentCallError`s. An aborted call rejects with the signal's
 * reason.
 */
export interface AgentClient {
  /** Calls an endpoint by its name in the route table. */
  call<Name extends AgentCallName>(name: Name, request: AgentRequest<Name>): Promise<ReplyOf<AgentRoutes[Name]>>;
  /** Opens a stream; resolves with the answer's headers. No time limit applies. */
  open<Name extends AgentStreamName>(name: Name, request: AgentRequest<Name>): Promise<Response>;
}

export interface AgentClientOptions {
  readonly transport: AgentTransport;
  /** The bearer token; null where the agent requires none. It is read before each call. */
  readonly token?: () => string | null;
  /** Time limit for the whole answer of a call, in milliseconds; without it there is none. */
  readonly timeoutMs?: number;
}

/** Requests to an agent at an `http://` or `https://` address, by the platform's `fetch`. */
export function fetchTransport(agentUrl: string): AgentTransport {
  const base = agentUrl.replace(/\/+$/, '');
  return (path, init) => fetch(base + path, init);
}

/** A request without its route's types; they have been checked at this point. */
interface LooseRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly keepalive?: boolean;
}

/** A client of all endpoints of the local API. */
export function createAgentClient({ transport, token = () => null, timeoutMs }: AgentClientOptions): AgentClient {
  const send = async <T>(route: Route, request: LooseRequest, timeout: number | undefined, read: (reply: Response) => Promise<T>) => {
    try {
      return await read(await transport(addressOf(route, request), initOf(route, request, token(), timeout)));
    } catch (cause) {
      if (request.signal?.aborted || cause instanceof AgentCallError) throw cause;
      throw AgentCallError.offline(cause);
    }
  };
  return {
    async call(name, given) {
      const request: LooseRequest = given;
      return send(agentRoutes[name], request, timeoutMs, async (reply) => {
        const text = await reply.text();
        if (!reply.ok) throw AgentCallError.answered(reply.status, text, reply.headers.get(traceIdName) ?? '');
        return parsed(reply.status, text) as ReplyOf<AgentRoutes[typeof name]>;
      });
    },
    async open(name, given) {
      const request: LooseRequest = given;
      return send(agentRoutes[name], request, undefined, async (reply) => {
        if (!reply.ok || !reply.body) throw AgentCallError.answered(reply.status, await reply.text(), reply.headers.get(traceIdName) ?? '');
        return reply;
      });
    },
  };
}

/** Path and query. Lists are comma-separated, absent values are left out. */
function addressOf(route: Route, { params, query }: LooseRequest): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(key, Array.isArray(value) ? value.join(',') : String(value));
  }
  const path = pathOf(route.path, params);
  return search.size > 0 ? `${path}?${search}` : path;
}

function initOf(route: Route, { body, signal, keepalive }: LooseRequest, token: string | null, timeout: number | undefined): RequestInit {
  const signals = [signal, timeout === undefined ? undefined : AbortSignal.timeout(timeout)].filter((one) => one !== undefined);
  return {
    method: route.method,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    headers: {
      accept: 'stream' in route.reply ? route.reply.stream : 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': route.bytes ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: route.bytes ? (body as Blob) : JSON.stringify(body) }),
    ...(signals.length === 0 ? {} : { signal: signals.length === 1 ? signals[0] : AbortSignal.any(signals) }),
    ...(keepalive ? { keepalive: true } : {}),
  };
}

function parsed(status: number, text: string): unknown {
  if (status === 204) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw AgentCallError.foreign(status, cause);
  }
}
