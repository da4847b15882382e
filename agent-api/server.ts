import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Engine } from '#engine/engine.ts';
import { agentApp } from './app.ts';
import { isLoopback } from './callers.ts';
import type { FailureLog } from './failures.ts';
import { readOrMakeToken } from './token.ts';

export interface AgentApiOptions {
  readonly engine: Engine;
  /** Port 0 takes any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Folder with the built GUI pages, or `null` for an agent without. */
  readonly guiDir: string | null;
  /** Where the token of an agent that listens beyond loopback is kept. */
  readonly dataDir: string;
  readonly version: string;
  readonly log: FailureLog;
  /** Names by which callers beyond this machine may call it, besides its addresses and its own name. */
  readonly allowedHosts?: readonly string[];
}

export interface RunningAgentApi {
  /** With no slash at the end. */
  readonly url: string;
  /** File with the token that callers need, when it listens beyond loopback. */
  readonly tokenFile: string | null;
  /** Ends event streams, answers what is under way, stops listening. */
  close(): Promise<void>;
}

/** The agent cannot listen where it should. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;
  readonly retryable = false;

  constructor(address: string, cause: NodeJS.ErrnoException) {
    super(ListenError.sentence(address, cause), { cause });
    this.code = cause.code ?? 'LISTEN_FAILED';
  }

  private static sentence(address: string, cause: NodeJS.ErrnoException): string {
    switch (cause.code) {
      case 'EADDRINUSE':
        return `${address} is taken by another program. Stop that program, or choose another port with --listen.`;
      case 'EACCES':
        return `This user may not listen on ${address}. Choose a port above 1023 with --listen.`;
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        return `${address} is not an address of this machine. Choose another with --listen.`;
      default:
        return `Cannot listen on ${address}: ${cause.message}. Choose another address with --listen.`;
    }
  }
}

const forUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * Starts the local API.
 *
 * @throws ListenError when the address is taken or not ours
 */
export async function startAgentApi(options: AgentApiOptions): Promise<RunningAgentApi> {
  const { engine, listen, guiDir, dataDir, version, log } = options;
  const loopback = isLoopback(listen.host.toLowerCase());
  const secret = loopback ? null : await readOrMakeToken(dataDir);
  const own = hostname().toLowerCase();
  const hosts = [own, `${own}.local`, listen.host, ...(options.allowedHosts ?? [])].map((host) => host.toLowerCase());
  const app = await agentApp({ engine, callers: { loopback, hosts }, token: secret?.token ?? null, guiDir, version, log });
  try {
    await app.listen({ host: listen.host, port: listen.port });
  } catch (error) {
    await app.close();
    throw new ListenError(`${forUrl(listen.host)}:${listen.port}`, error as NodeJS.ErrnoException);
  }
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://${forUrl(listen.host)}:${port}`, tokenFile: secret?.file ?? null, close: () => app.close() };
}
