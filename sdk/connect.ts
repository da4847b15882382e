import { type AgentClient, createAgentClient, fetchTransport } from '../client/agent.ts';
import { createHostedClient, type HostedClient, type HostedCredential } from '../client/hosted.ts';
import type { Fetcher } from '../client/ports.ts';

export interface AgentOptions {
  /** The agent's token, where it requires one. */
  readonly token?: string | undefined;
  /** Time limit for each answer, in milliseconds; streams have none. Default: one minute. */
  readonly timeoutMs?: number;
}

/** The agent at an address, such as `http://127.0.0.1:8090`, by the platform's `fetch`. */
export function agentAt(url: string, { token, timeoutMs = 60_000 }: AgentOptions = {}): AgentClient {
  return createAgentClient({ transport: fetchTransport(url), token: () => token ?? null, timeoutMs });
}

export interface ServiceOptions {
  readonly credential?: HostedCredential;
  /** Time limit for each answer, in milliseconds. Default: one minute. */
  readonly timeoutMs?: number;
}

/** The service at an address, such as `https://files.example.com`, by the platform's `fetch`. */
export function serviceAt(url: string, { credential = { kind: 'none' }, timeoutMs = 60_000 }: ServiceOptions = {}): HostedClient {
  const fetcher: Fetcher = async ({ method, url: address, headers, body, signal }) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const reply = await fetch(address, {
      method,
      headers,
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(body === undefined ? {} : { body }),
    });
    return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
  };
  return createHostedClient({ baseUrl: url, fetcher, credential });
}
