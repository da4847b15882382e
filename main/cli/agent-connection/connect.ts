import { stopWithin } from '#net/stop-within.ts';
import { absolutePath, dataFolders } from '../../folders.ts';
import type { LogLevel } from '../../log-levels.ts';
import { stopMs } from '../../stop-limit.ts';
import { readVersion } from '../../version.ts';
import { defaultAgentUrl, readSecret } from '../options.ts';
import type { AgentHandle } from './agent-handle.ts';
import { tokenFor } from './agent-token.ts';
import type { AgentChoice } from './choose-agent.ts';

export interface AgentConnectionFlags {
  readonly agentToken?: string;
  readonly agentTokenFile?: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly serviceUrl: string;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
}

/** Timeout for an agent at the usual address, in milliseconds. */
const probeTimeoutMs = 1_500;

/**
 * Connects to the chosen agent, or starts an engine inside this process.
 *
 * @throws EngineError when the data folder cannot be used
 */
export async function connectAgent(choice: AgentChoice, flags: AgentConnectionFlags): Promise<AgentHandle> {
  if (choice.kind === 'running') return runningAgent(choice.url, tokenFor(choice.url, flags));
  if (choice.kind === 'detect' && (await answersAt(defaultAgentUrl)))
    return runningAgent(defaultAgentUrl, tokenFor(defaultAgentUrl, flags));
  return inProcessAgent(flags, readSecret(flags.apiKey, flags.apiKeyFile, 'API key'));
}

/** A running agent. Its routes are loaded lazily: the help of a command does not need them. */
export async function runningAgent(url: string, token: string | undefined): Promise<AgentHandle> {
  const { remoteAgent } = await import('./remote-agent.ts');
  return remoteAgent({ url, token });
}

async function answersAt(url: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(probeTimeoutMs), redirect: 'error' });
    return reply.ok && ((await reply.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}

async function inProcessAgent(flags: AgentConnectionFlags, apiKey: string | undefined): Promise<AgentHandle> {
  // Loaded lazily, so that a command that only talks to an agent starts fast.
  const [{ startEngine }, { createLog }] = await Promise.all([import('#engine/start.ts'), import('../../log.ts')]);
  const engine = await startEngine({
    dataDir: dataFolders(absolutePath(flags.dataDir, process.cwd())).agent,
    serviceUrl: flags.serviceUrl,
    version: readVersion(),
    log: createLog(flags.logLevel),
    servesMounts: false,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const { current, list } = engine.session;
  const { preview, match, find, continue: goOn } = engine.handovers;
  // A command ends as a whole.
  const { signal } = new AbortController();
  return {
    url: '',
    session: { current, list: async () => list() },
    transfers: engine.transfers,
    handovers: {
      preview: (link) => preview(link, signal),
      match: (request) => match(request, { restricted: false, signal }),
      find,
      continue: goOn,
    },
    close: () =>
      stopWithin(stopMs, [{ name: 'The transfer engine', close: engine.close }], {
        silent: 'a disk or network drive',
        next: 'run the same command again, and it goes on where it was',
      }),
  };
}
