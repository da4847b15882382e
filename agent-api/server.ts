import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import type { Engine } from '#engine/engine.ts';
import { hostInUrl } from '#net/host-in-url.ts';
import { type AgentAppOptions, agentApp } from './app.ts';
import { isLoopback } from './callers.ts';
import type { FailureLog } from './failures.ts';
import { type ConnectionLimits, limitConnections, loopbackLimits, networkLimits } from './limit-connections.ts';
import { ListenError } from './listen-error.ts';
import { createPageEntry } from './page-entry.ts';
import { openUserGuard, type UserGuard } from './peers/user-guard.ts';
import { noteRunning } from './running-file.ts';
import { readOrMakeToken, readToken } from './token.ts';
import { prepareSocketFile } from './unix-socket.ts';

/** Port 0 takes any free port. A path is a Unix socket that only its owner may open. */
export type AgentListen = { readonly host: string; readonly port: number } | { readonly path: string };

interface AgentApiOptions {
  readonly engine: Engine;
  readonly listen: AgentListen;
  /** Folder with the built GUI pages; `null` for an agent without pages. */
  readonly guiDir: string | null;
  /** Where the agent's token is stored. */
  readonly dataDir: string;
  readonly version: string;
  readonly log: FailureLog;
  /** Further host names by which callers with a token may address the agent, besides its addresses and its own name. */
  readonly allowedHosts?: readonly string[];
  /** Every call needs a token, on loopback too. */
  readonly requireToken?: boolean;
  /** Connections at once; for tests. */
  readonly connections?: ConnectionLimits;
  /** Refuses other users of this machine on loopback. Default: the system's own check, where it has one. */
  readonly openUserGuard?: () => Promise<UserGuard | null>;
}

export interface RunningAgentApi {
  /** Without a slash at the end; `unix:/path` for a Unix socket. */
  readonly url: string;
  /** File with the token that callers need; `null` where no token is required. */
  readonly tokenFile: string | null;
  /**
   * The address of a page route (`#/…`, or empty) that signs the page in. Where a token is required, it is valid once
   * and for one minute.
   */
  pageAddress(route: string): string;
  /** Sentences that the operator should read. */
  readonly warnings: readonly string[];
  /** Ends event streams, finishes the calls under way, stops listening. */
  close(): Promise<void>;
}

/**
 * Starts the local API.
 *
 * @throws ListenError when the address is taken or not ours
 */
export async function startAgentApi(options: AgentApiOptions): Promise<RunningAgentApi> {
  const { engine, listen, guiDir, dataDir, version, log, requireToken = false } = options;
  const loopback = 'path' in listen || isLoopback(listen.host.toLowerCase());
  const tokenNeeded = requireToken || !loopback;
  const secret = tokenNeeded ? await readOrMakeToken(dataDir) : null;
  // Where no token is required, a token of an earlier start is still accepted.
  const token = secret?.token ?? (await readToken(dataDir));
  const entry = createPageEntry();
  const common = { engine, tokenNeeded, token, entry, guiDir, version, log };
  const listening = 'path' in listen ? await onSocket(common, listen.path) : await onPort(common, listen, loopback, options);
  const forget = tokenNeeded ? noteRunning(dataDir, listening.url) : () => undefined;
  return {
    ...listening,
    tokenFile: secret?.file ?? null,
    pageAddress: (route) => `${listening.url}/${tokenNeeded ? entry.issue(route).route : route}`,
    async close() {
      forget();
      await listening.close();
    },
  };
}

type Common = Omit<AgentAppOptions, 'callers' | 'users'>;
type Listening = Pick<RunningAgentApi, 'url' | 'warnings' | 'close'>;

async function onPort(
  common: Common,
  { host, port: wanted }: { readonly host: string; readonly port: number },
  loopback: boolean,
  { allowedHosts = [], connections, openUserGuard: openGuard = openUserGuard }: AgentApiOptions,
): Promise<Listening> {
  const users = loopback ? await openGuard() : null;
  const own = hostname().toLowerCase();
  // On loopback other names belong to a reverse proxy. Without a token such a name could belong to any web page.
  const names = loopback ? (common.tokenNeeded ? allowedHosts : []) : [own, `${own}.local`, host, ...allowedHosts];
  const app = await agentApp({ ...common, callers: { loopback, hosts: names.map((name) => name.toLowerCase()) }, users });
  limitConnections(app.server, connections ?? (loopback ? loopbackLimits : networkLimits));
  try {
    await app.listen({ host, port: wanted });
  } catch (error) {
    await app.close();
    throw new ListenError(`${hostInUrl(host)}:${wanted}`, error as NodeJS.ErrnoException);
  }
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${hostInUrl(host)}:${port}`,
    warnings: loopback && !users && !common.tokenNeeded ? [everyUser] : [],
    close: () => app.close(),
  };
}

/** Logged at every such start. */
const everyUser =
  'This system does not tell which user a program belongs to that calls the agent: every user of this machine can use it, and read and write files by it as you. Where there are others, start it with --require-token.';

/** Only the file's owner can open the socket, so no token is needed. */
async function onSocket(common: Common, path: string): Promise<Listening> {
  const file = await prepareSocketFile(path);
  const app = await agentApp({ ...common, callers: { loopback: true, hosts: [] } });
  // A socket connection has no address, and rate limits need one. Its callers are on this machine.
  app.server.on('connection', (socket: Socket) => Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' }));
  const close = async (): Promise<void> => {
    await app.close();
    file.remove();
  };
  try {
    await app.listen({ path: file.draft });
    file.settle();
  } catch (error) {
    await close();
    throw error instanceof ListenError ? error : new ListenError(`unix:${path}`, error as NodeJS.ErrnoException);
  }
  return { url: `unix:${path}`, warnings: [], close };
}
