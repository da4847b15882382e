import { type AgentListen, type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import type { Engine } from '#engine/engine.ts';
import { type Log, silentLog } from '#engine/ports.ts';
import { type EngineOptions, startEngine } from '#engine/start.ts';
import { createRecentLog } from '#engine/support/recent-log.ts';
import { guiFolder } from './folders.ts';
import { readVersion } from './version.ts';

export interface AgentOptions extends Pick<EngineOptions, 'secrets' | 'vaultKey'> {
  /** Where the agent keeps its state. One agent at a time. */
  readonly dataDir: string;
  /** Address of the service that it works with. */
  readonly serviceUrl: string;
  /** Begins with a session of this key. Without one a person signs in. */
  readonly apiKey?: string | undefined;
  readonly listen: AgentListen;
  /** Names by which callers beyond this machine may call it. */
  readonly allowedHosts?: readonly string[];
  /** The folders that callers from afar may use, in place of the setting `allowed_roots`. */
  readonly allowedRoots?: readonly string[] | undefined;
  /** Folder with the built GUI pages; `null` for none. */
  readonly guiDir?: string | null;
  readonly log?: Log;
}

export interface RunningAgent {
  /** With no slash at the end; the GUI is there. `unix:/path` where it listens on a Unix socket. */
  readonly url: string;
  readonly engine: Engine;
  /** File with the token that callers need, when it listens beyond this machine. */
  readonly tokenFile: string | null;
  /** Stops within 10 s. What is under way is written down and goes on at the next start. */
  close(): Promise<void>;
}

/**
 * An agent: the engine, and its local API in front of it.
 *
 * @throws EngineError when the data folder cannot be used, ListenError when the address is taken
 */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { dataDir, serviceUrl, apiKey, listen, allowedHosts = [], guiDir = guiFolder(), log: shownLog = silentLog } = options;
  const log = createRecentLog(shownLog, Date.now);
  const version = readVersion();
  const engine = await startEngine({
    dataDir,
    serviceUrl,
    version,
    log,
    recentLog: log.lines,
    allowedRoots: options.allowedRoots,
    vaultKey: options.vaultKey,
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  let api: RunningAgentApi;
  try {
    api = await startAgentApi({
      engine,
      listen,
      allowedHosts,
      guiDir,
      dataDir,
      version,
      log: (message, { id, error }) => log.error({ id, err: error }, message),
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
  // Not before: whoever cannot start says why, and nothing else.
  for (const warning of engine.secretsWarnings) log.warn({}, warning);
  return {
    url: api.url,
    engine,
    tokenFile: api.tokenFile,
    async close() {
      await api.close();
      await engine.close();
    },
  };
}
