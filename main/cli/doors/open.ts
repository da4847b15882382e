import { absolutePath, dataFolders } from '../../folders.ts';
import type { LogLevel } from '../../log-levels.ts';
import { readVersion } from '../../version.ts';
import { defaultAgentUrl, readSecret } from '../options.ts';
import type { Door } from './door.ts';

export interface DoorFlags {
  /** Given: this agent and no other. */
  readonly agentUrl?: string;
  readonly agentToken?: string;
  readonly agentTokenFile?: string;
  /** False: never a running agent. */
  readonly agent: boolean;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly serviceUrl: string;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
}

/** How long an agent at the usual address has to say that it is there. */
const lookMilliseconds = 1_500;

/**
 * The agent to work with: the one at `--agent-url` when given; an engine of this command's own when a key is
 * given or no agent runs; else the agent at the usual address.
 *
 * @throws EngineError when the data folder cannot be used
 */
export async function openDoor(flags: DoorFlags): Promise<Door> {
  const token = readSecret(flags.agentToken, flags.agentTokenFile, "agent's token");
  if (flags.agentUrl !== undefined) return agentDoor(flags.agentUrl, token);
  const apiKey = readSecret(flags.apiKey, flags.apiKeyFile, 'API key');
  if (flags.agent && apiKey === undefined && (await runs(defaultAgentUrl))) return agentDoor(defaultAgentUrl, token);
  return ownDoor(flags, apiKey);
}

/** A running agent. Its routes are loaded here: the help of a command needs none. */
export async function agentDoor(url: string, token: string | undefined): Promise<Door> {
  const { remoteDoor } = await import('./remote.ts');
  return remoteDoor({ url, token });
}

async function runs(url: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(lookMilliseconds), redirect: 'error' });
    return reply.ok && ((await reply.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}

async function ownDoor(flags: DoorFlags, apiKey: string | undefined): Promise<Door> {
  // Loaded here, so that a command which only talks to an agent starts at once.
  const [{ startEngine }, { createLog }] = await Promise.all([import('#engine/start.ts'), import('../../log.ts')]);
  const engine = await startEngine({
    dataDir: dataFolders(absolutePath(flags.dataDir, process.cwd())).agent,
    serviceUrl: flags.serviceUrl,
    version: readVersion(),
    log: createLog(flags.logLevel),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return { agentUrl: '', session: engine.session, transfers: engine.transfers, close: () => engine.close() };
}
