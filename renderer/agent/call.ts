import type { AgentRoutes } from '#protocol/agent/routes.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '#protocol/route.ts';
import { AgentFailure } from './failure.ts';

/** Names of calls whose answer is JSON or empty. Streams have their own reader. */
export type CallName = {
  [Name in keyof AgentRoutes]: AgentRoutes[Name]['reply'] extends { readonly stream: string } ? never : Name;
}[keyof AgentRoutes];

/** `Shape` where the route declares the part, nothing where it does not. */
type Part<R extends Route, Key extends keyof Route, Shape> = undefined extends R[Key] ? unknown : Shape;
type InputOf<R extends Route> = Part<R, 'params', { params: ParamsOf<R> }> &
  Part<R, 'body', { body: BodyOf<R> }> &
  Part<R, 'query', { query?: Partial<QueryOf<R>> }>;

/** What a call needs, by its route: `params` and `body` where it has them, `query` with any of its fields. */
export type CallInput<Name extends CallName> = InputOf<AgentRoutes[Name]> & {
  signal?: AbortSignal;
  /** The request is sent even if the page is closed. */
  keepalive?: boolean;
};

export interface AgentClient {
  /** Calls the agent. Rejects only with `AgentFailure`. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<ReplyOf<AgentRoutes[Name]>>;
  /** Opens a stream of server-sent events. Rejects only with `AgentFailure`. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Requests something that is not JSON, such as a receipt. Rejects only with `AgentFailure`. */
  fetch(path: string, options?: { readonly method?: string; readonly signal?: AbortSignal }): Promise<Response>;
}

interface LooseInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly keepalive?: boolean;
}

/** Fills `{places}` of a route's path and appends its query; lists are comma-separated, absent values left out. */
export function addressOf(route: Route, input: LooseInput): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(input.params?.[key] ?? '')));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.set(key, Array.isArray(value) ? value.join(',') : String(value));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/**
 * The agent's API on the same origin. `token` returns the bearer token that an agent beyond this machine requires, or
 * null where none is needed.
 */
export function createAgentClient(fetcher: typeof fetch, token: () => string | null): AgentClient {
  const authorization = (): Record<string, string> => {
    const value = token();
    return value === null ? {} : { authorization: `Bearer ${value}` };
  };

  const request = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetcher(path, { ...init, cache: 'no-store', credentials: 'omit', redirect: 'error' });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw AgentFailure.offline(cause);
    }
  };

  const textOf = async (response: Response): Promise<string> => {
    try {
      return await response.text();
    } catch (cause) {
      throw AgentFailure.offline(cause);
    }
  };

  return {
    async call<Name extends CallName>(name: Name, given: CallInput<Name>) {
      const route: Route = agentRoutes[name];
      const input = given as LooseInput;
      const response = await request(addressOf(route, input), {
        method: route.method,
        headers: {
          accept: 'application/json',
          ...authorization(),
          ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
        ...(input.signal ? { signal: input.signal } : {}),
        ...(input.keepalive ? { keepalive: true } : {}),
      });
      const text = await textOf(response);
      if (!response.ok) throw AgentFailure.answered(response.status, text);
      return (text === '' ? undefined : JSON.parse(text)) as ReplyOf<AgentRoutes[Name]>;
    },

    async fetch(path, options = {}) {
      const response = await request(path, { headers: authorization(), ...options });
      if (!response.ok) throw AgentFailure.answered(response.status, await textOf(response));
      return response;
    },

    async open(path, headers, signal) {
      const response = await request(path, { headers: { ...headers, ...authorization(), accept: 'text/event-stream' }, signal });
      if (!response.ok || !response.body) throw AgentFailure.answered(response.status, await textOf(response));
      return response.body;
    },
  };
}
