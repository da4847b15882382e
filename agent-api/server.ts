import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import type { Engine } from '#engine/engine.ts';
import { agentApp } from './app.ts';
import { isLoopback } from './callers.ts';
import type { FailureLog } from './failures.ts';
import { ListenError } from './listen-error.ts';
import { readOrMakeToken, readToken } from './token.ts';
import { socketPlace } from './unix-socket.ts';

/** Port 0 takes any free one; a path is that of a Unix socket, which only its owner may open. */
export type AgentListen = { readonly host: string; readonly port: number } | { readonly path: string };

export interface AgentApiOptions {
  readonly engine: Engine;
  readonly listen: AgentListen;
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
  /** With no slash at the end; `unix:/path` of a Unix socket. */
  readonly url: string;
  /** File with the token that callers need, when it listens beyond loopback. */
  readonly tokenFile: string | null;
  /** Ends event streams, answers what is under way, stops listening. */
  close(): Promise<void>;
}

const forUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * Starts the local API.
 *
 * @throws ListenError when the address is taken or not ours
 */
export async function startAgentApi(options: AgentApiOptions): Promise<RunningAgentApi> {
  const { engine, listen, guiDir, dataDir, version, log } = options;
  if ('path' in listen) return onSocket(options, listen.path);
  const loopback = isLoopback(listen.host.toLowerCase());
  const secret = loopback ? null : await readOrMakeToken(dataDir);
  // On loopback none is needed; one that was made before is known there all the same.
  const token = secret?.token ?? (await readToken(dataDir));
  const own = hostname().toLowerCase();
  const hosts = [own, `${own}.local`, listen.host, ...(options.allowedHosts ?? [])].map((host) => host.toLowerCase());
  const app = await agentApp({ engine, callers: { loopback, hosts }, token, guiDir, version, log });
  try {
    await app.listen({ host: listen.host, port: listen.port });
  } catch (error) {
    await app.close();
    throw new ListenError(`${forUrl(listen.host)}:${listen.port}`, error as NodeJS.ErrnoException);
  }
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://${forUrl(listen.host)}:${port}`, tokenFile: secret?.file ?? null, close: () => app.close() };
}

/** The file's owner alone may call, and so needs no token. */
async function onSocket({ engine, guiDir, dataDir, version, log }: AgentApiOptions, path: string): Promise<RunningAgentApi> {
  const place = await socketPlace(path);
  const app = await agentApp({ engine, callers: { loopback: true, hosts: [] }, token: await readToken(dataDir), guiDir, version, log });
  // Such a connection has no address, and what counts calls by address needs one: they come from this machine.
  app.server.on('connection', (socket: Socket) => Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' }));
  const close = async (): Promise<void> => {
    await app.close();
    place.remove();
  };
  try {
    await app.listen({ path: place.draft });
    place.settle();
  } catch (error) {
    await close();
    throw error instanceof ListenError ? error : new ListenError(`unix:${path}`, error as NodeJS.ErrnoException);
  }
  return { url: `unix:${path}`, tokenFile: null, close };
}
