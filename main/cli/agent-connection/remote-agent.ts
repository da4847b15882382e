import { type AgentClient, type AgentTransport, createAgentClient, fetchTransport } from '#client/agent.ts';
import { AgentCallError } from '#client/agent-call-error.ts';
import { AgentError } from '#protocol/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { socketPath } from '../listen.ts';
import type { AgentHandle } from './agent-handle.ts';

interface RemoteOptions {
  readonly url: string;
  /** The token, for an agent that requires one. */
  readonly token?: string | undefined;
  /** Timeout for each answer, in milliseconds. */
  readonly timeout?: number;
}

/** The client of a running agent, whose failures are those of a command. */
export function agentClient({ url, token = undefined, timeout = 60_000 }: RemoteOptions): AgentClient {
  const client = createAgentClient({ transport: transportTo(url), token: () => token ?? null, timeoutMs: timeout });
  const fail = (error: unknown): never => {
    throw commandFailure(url, error);
  };
  return {
    call: (name, request) => client.call(name, request).catch(fail),
    open: (name, request) => client.open(name, request).catch(fail),
  };
}

/** A running agent, called over its local API. */
export function remoteAgent(options: RemoteOptions): AgentHandle {
  const { url } = options;
  const { call, open } = agentClient(options);
  const lists = { upload: 'listUploads', download: 'listDownloads', all: 'listTransfers' } as const;
  return {
    url,
    session: { current: () => call('getLogin', {}), list: () => call('listSessions', {}) },
    transfers: {
      upload: (body) => call('createUpload', { body }),
      download: (body) => call('createDownload', { body }),
      mailLinkCode: (body) => call('mailLinkCode', { body }),
      get: (id) => call('getTransfer', { params: { id } }),
      files: async (id, query) => {
        const { metadata, records } = await call('listTransferFiles', { params: { id }, query });
        return { total: metadata.total, records };
      },
      retry: async (id) => {
        await call('retryTransfer', { params: { id } });
      },
      finalize: async (id) => {
        await call('finalizeTransfer', { params: { id } });
      },
      receipt: async (id) => (await open('getTransferReceipt', { params: { id } })).body!,
      list: async (kind, query) => {
        const { metadata, records, next } = await call(lists[kind], { query });
        return { total: metadata.total, records, ...(next === undefined ? {} : { next }) };
      },
    },
    handovers: {
      // It goes on by itself, whatever becomes of the command.
      find: async () => null,
      preview: (link) => call('previewHandover', { body: { link } }),
      match: (body) => call('matchHandover', { body }),
      continue: (body) => call('continueHandover', { body }),
    },
    close: async () => undefined,
  };
}

/** The agent's refusal with the catalogue's name and its own sentence; otherwise what is wrong with the address. */
function commandFailure(url: string, failure: unknown): unknown {
  if (!(failure instanceof AgentCallError)) return failure;
  const { kind, status, message, error, foreign, cause } = failure;
  if (kind === 'offline') {
    const text = `No agent answers at ${url}. Start one with \`longshore agent\`, or check --agent-url.`;
    return new CommandError(exitCodes.unreachable, text, { cause });
  }
  if (foreign) {
    return new CommandError(exitCodes.failure, `What answers at ${url} is not a Longshore agent. Check --agent-url.`, { cause });
  }
  if (!error) return new AgentError('service_refused', { status, detail: message });
  return Object.assign(new AgentError(error), { message });
}

/** Requests to an agent at an http(s) address or `unix:/path`. The socket client is loaded only for a socket. */
function transportTo(url: string): AgentTransport {
  const socket = socketPath(url);
  if (socket === null) return fetchTransport(url);
  return async (path, init) => {
    const { Agent, fetch: fetchBy } = await import('undici');
    // Without pipelining no connection is kept alive. A kept connection would delay the end of the command.
    const dispatcher = new Agent({ connect: { socketPath: socket }, pipelining: 0 });
    return (await fetchBy(`http://localhost${path}`, { ...(init as object), dispatcher })) as unknown as Response;
  };
}
