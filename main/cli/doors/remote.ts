import { ServiceError } from '#client/errors.ts';
import { type AgentRouteName, type AgentRoutes, agentRoutes } from '#protocol/agent/routes.ts';
import { ApiError, type ErrorName, errorCatalogue } from '#protocol/errors.ts';
import type { Input, ReplyOf, Route } from '#protocol/route.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import type { Door } from './door.ts';

export interface RemoteOptions {
  readonly url: string;
  /** The token of an agent that listens beyond its machine. */
  readonly token?: string | undefined;
  /** Milliseconds for each answer. */
  readonly timeout?: number;
}

/** A running agent, by its local API. */
export function remoteDoor({ url, token, timeout = 60_000 }: RemoteOptions): Door {
  async function call<N extends AgentRouteName>(name: N, input: Partial<Input<AgentRoutes[N]>> = {}): Promise<ReplyOf<AgentRoutes[N]>> {
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
    return reply as ReplyOf<AgentRoutes[N]>;
  }
  const lists = { upload: 'listUploads', download: 'listDownloads', all: 'listTransfers' } as const;
  return {
    agentUrl: url,
    session: { current: () => call('getLogin'), teams: () => call('listTeams') },
    transfers: {
      upload: (body) => call('createUpload', { body }),
      download: (body) => call('createDownload', { body }),
      get: (id) => call('getTransfer', { params: { id } }),
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
  let text: string;
  let status: number;
  try {
    const reply = await fetch(url + path, init);
    status = reply.status;
    text = await reply.text();
  } catch (cause) {
    throw new CommandError(exitCodes.unreachable, `No agent answers at ${url}. Start one with \`longshore agent\`, or check --agent-url.`, {
      cause,
    });
  }
  if (status === 204) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new CommandError(exitCodes.failure, `What answers at ${url} is not a Longshore agent. Check --agent-url.`, { cause });
  }
  if (status >= 200 && status < 300) return body;
  throw refusal(status, body as { code?: unknown; message?: unknown });
}

/** The agent's refusal with its own sentence, under the catalogue's name. */
function refusal(status: number, body: { code?: unknown; message?: unknown }): Error {
  const name = (Object.keys(errorCatalogue) as ErrorName[]).find((one) => errorCatalogue[one].code === body.code);
  const message = typeof body.message === 'string' ? body.message : `The agent answered ${status}.`;
  if (!name) return new ApiError('service_refused', { status, detail: message });
  return new ServiceError(name, {}, { answered: status, message });
}
