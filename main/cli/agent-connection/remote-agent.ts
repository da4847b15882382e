import { type AgentRouteName, type AgentRoutes, agentRoutes } from '#protocol/agent/routes.ts';
import { AgentError, type ErrorName, errorCatalogue } from '#protocol/errors.ts';
import type { Input, ReplyOf, Route } from '#protocol/route.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import type { AgentHandle } from './agent-handle.ts';
import { fetchFrom } from './fetch-from.ts';

export interface RemoteOptions {
  readonly url: string;
  /** The token, for an agent that requires one. */
  readonly token?: string | undefined;
  /** Timeout for each answer, in milliseconds. */
  readonly timeout?: number;
}

/** Calls to a running agent by the names of its local API. */
export interface AgentCaller {
  call<N extends AgentRouteName>(name: N, input?: Partial<Input<AgentRoutes[N]>>): Promise<ReplyOf<AgentRoutes[N]>>;
  stream(path: string): Promise<AsyncIterable<Uint8Array>>;
}

export function agentCaller({ url, token, timeout = 60_000 }: RemoteOptions): AgentCaller {
  return {
    async call(name, input = {}) {
      const route: Route = agentRoutes[name];
      const { params, query, body } = input as LooseInput;
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params?.[key])));
      const search = new URLSearchParams(Object.entries(query ?? {}).map(([key, value]) => [key, String(value)])).toString();
      const reply = await answer(url, `${path}${search && `?${search}`}`, {
        method: route.method,
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return reply as ReplyOf<AgentRoutes[typeof name]>;
    },
    async stream(path) {
      const reply = await ask(url, path, { redirect: 'error', headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
      if (reply.status !== 200) throw refusal(reply.status, parsed(url, await reply.text()) as Refusal);
      return reply.body!;
    },
  };
}

/** A running agent, called over its local API. */
export function remoteAgent(options: RemoteOptions): AgentHandle {
  const { url } = options;
  const { call, stream } = agentCaller(options);
  const lists = { upload: 'listUploads', download: 'listDownloads', all: 'listTransfers' } as const;
  return {
    url,
    session: { current: () => call('getLogin'), list: () => call('listSessions') },
    transfers: {
      upload: (body) => call('createUpload', { body }),
      download: (body) => call('createDownload', { body }),
      get: (id) => call('getTransfer', { params: { id } }),
      files: async (id, query) => {
        const { metadata, records } = await call('listTransferFiles', { params: { id }, query });
        return { total: metadata.total, records };
      },
      finalize: async (id) => {
        await call('finalizeTransfer', { params: { id } });
      },
      receipt: (id) => stream(`/api/v1/transfers/${encodeURIComponent(id)}/receipt`),
      list: async (kind, query) => {
        const { metadata, records } = await call(lists[kind], { query });
        return { total: metadata.total, records };
      },
    },
    close: async () => undefined,
  };
}

interface LooseInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

async function answer(url: string, path: string, init: RequestInit): Promise<unknown> {
  const reply = await ask(url, path, init);
  const { status } = reply;
  const text = await reply.text().catch((cause: unknown) => {
    throw silent(url, cause);
  });
  if (status === 204) return undefined;
  const body = parsed(url, text);
  if (status >= 200 && status < 300) return body;
  throw refusal(status, body as Refusal);
}

async function ask(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetchFrom(url, path, init);
  } catch (cause) {
    throw silent(url, cause);
  }
}

function silent(url: string, cause: unknown): CommandError {
  const message = `No agent answers at ${url}. Start one with \`longshore agent\`, or check --agent-url.`;
  return new CommandError(exitCodes.unreachable, message, { cause });
}

function parsed(url: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(exitCodes.failure, `What answers at ${url} is not a Longshore agent. Check --agent-url.`, { cause });
  }
}

interface Refusal {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** The agent's refusal as an error: its own sentence and the catalogue's name. */
function refusal(status: number, body: Refusal): Error {
  const name = (Object.keys(errorCatalogue) as ErrorName[]).find((one) => errorCatalogue[one].code === body.code);
  const message = typeof body.message === 'string' ? body.message : `The agent answered ${status}.`;
  if (!name) return new AgentError('service_refused', { status, detail: message });
  return Object.assign(new AgentError(name), { message });
}
