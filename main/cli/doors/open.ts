import { absolutePath, dataFolders } from '../../folders.ts';
import type { LogLevel } from '../../log-levels.ts';
import { readVersion } from '../../version.ts';
import { defaultAgentUrl, readSecret } from '../options.ts';
import type { Door } from './door.ts';
import { tokenFor } from './own-token.ts';
import type { Worker } from './worker.ts';

export interface DoorFlags {
  readonly agentToken?: string;
  readonly agentTokenFile?: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly serviceUrl: string;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
}

/** Timeout for an agent at the usual address, in milliseconds. */
const lookMilliseconds = 1_500;

/**
 * Opens the agent to work with, or an engine inside this process.
 *
 * @throws EngineError when the data folder cannot be used
 */
export async function openDoor(worker: Worker, flags: DoorFlags): Promise<Door> {
  if (worker.kind === 'agent') return agentDoor(worker.url, tokenFor(worker.url, flags));
  if (worker.kind === 'look' && (await runs(defaultAgentUrl))) return agentDoor(defaultAgentUrl, tokenFor(defaultAgentUrl, flags));
  return ownDoor(flags, readSecret(flags.apiKey, flags.apiKeyFile, 'API key'));
}

/** A running agent. Its routes are loaded lazily: the help of a command does not need them. */
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
  // Loaded lazily, so that a command that only talks to an agent starts fast.
  const [{ startEngine }, { createLog }] = await Promise.all([import('#engine/start.ts'), import('../../log.ts')]);
  const engine = await startEngine({
    dataDir: dataFolders(absolutePath(flags.dataDir, process.cwd())).agent,
    serviceUrl: flags.serviceUrl,
    version: readVersion(),
    log: createLog(flags.logLevel),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const { current, list } = engine.session;
  return { agentUrl: '', session: { current, list: async () => list() }, transfers: engine.transfers, close: () => engine.close() };
}
