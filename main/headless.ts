import { type AgentListen, type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import { engineActivity } from '#engine/activity-channel.ts';
import type { Engine } from '#engine/engine.ts';
import type { EngineOptions } from '#engine/engine-options.ts';
import { type Log, silentLog } from '#engine/ports.ts';
import { startEngine } from '#engine/start.ts';
import { createRecentLog, type RecentLog } from '#engine/support/recent-log.ts';
import { stopWithin } from '#net/stop-within.ts';
import type { OtlpSettings } from '#net/tracing/otlp-settings.ts';
import type { Provisioning } from './config/read-file.ts';
import { guiFolder } from './folders.ts';
import { provision } from './provision.ts';
import { stopMs } from './stop-limit.ts';
import { readVersion } from './version.ts';
import { startWatchdog, type WatchdogOptions } from './watchdog/watchdog.ts';

export interface AgentOptions extends Pick<EngineOptions, 'secrets' | 'vaultKey' | 'startMountChild'> {
  /** The folder of the agent's state. Only one agent may use it at a time. */
  readonly dataDir: string;
  /** Address of the hosted service. */
  readonly serviceUrl: string;
  /** Signs in with this key at the start. Without it a person signs in. */
  readonly apiKey?: string | undefined;
  readonly listen: AgentListen;
  /** Every call needs a token, on loopback too. */
  readonly requireToken?: boolean;
  /** Host names by which callers from other machines may address the agent. */
  readonly allowedHosts?: readonly string[];
  /** The folders that callers from other machines may use, instead of the setting `allowed_roots`. */
  readonly allowedRoots?: readonly string[] | undefined;
  /** Folder with the built GUI pages; `null` for none. */
  readonly guiDir?: string | null;
  /** What the configuration file wants to be there, and which file. */
  readonly provisioning?: (Provisioning & { readonly file: string }) | null;
  readonly log?: Log;
  /** A collector of OpenTelemetry that gets spans of transfers; without it none are recorded. */
  readonly tracing?: OtlpSettings | undefined;
  /** Where a stalled event loop is reported, besides the log; `null` disables the watchdog. */
  readonly watch?: WatchOutput | null;
}

/** See main/watchdog. */
type WatchOutput = Pick<WatchdogOptions, 'output' | 'plain'>;

export interface RunningAgent {
  /** The address of API and GUI, without a slash at the end; `unix:/path` for a Unix socket. */
  readonly url: string;
  readonly engine: Engine;
  /** File with the token that callers need; `null` where no token is required. */
  readonly tokenFile: string | null;
  /** The address of a page route (`#/…`, or empty). Where a token is required, it is valid once and for one minute. */
  pageAddress(route: string): string;
  /**
   * Stops within 10 s. Running transfers are saved and resume at the next start.
   *
   * @throws where something does not stop: the process has to be ended (`endProcess`)
   */
  close(): Promise<void>;
}

/**
 * An agent: the engine, and its local API in front of it.
 *
 * @throws EngineError when the data folder cannot be used, ListenError when the address is taken
 */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const log = createRecentLog(options.log ?? silentLog, Date.now);
  const watchdog =
    options.watch &&
    startWatchdog({
      ...options.watch,
      activities: [engineActivity],
      stood: (ms) => log.error({ stood_ms: ms }, 'the event loop goes on after it has stood'),
    });
  try {
    const agent = await startWatched(options, log);
    return {
      ...agent,
      async close() {
        await agent.close().finally(() => watchdog?.close());
      },
    };
  } catch (error) {
    watchdog?.close();
    throw error;
  }
}

async function startWatched(options: AgentOptions, log: RecentLog): Promise<RunningAgent> {
  const version = readVersion();
  const { dataDir, serviceUrl, apiKey, listen, allowedHosts = [], guiDir = guiFolder() } = options;
  // Loaded only when needed.
  const tracing = options.tracing ? (await import('./tracing.ts')).openAgentTracing(options.tracing, version, log) : null;
  const engine = await startEngine({
    dataDir,
    serviceUrl,
    version,
    log,
    recentLog: log.lines,
    allowedRoots: options.allowedRoots,
    vaultKey: options.vaultKey,
    startMountChild: options.startMountChild,
    tracer: tracing?.tracer,
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  let api: RunningAgentApi;
  try {
    api = await startAgentApi({
      engine,
      listen,
      requireToken: options.requireToken ?? false,
      allowedHosts,
      guiDir,
      dataDir,
      version,
      log: (message, { id, error }) => log.error({ id, err: error }, message),
    });
  } catch (error) {
    await engine.close();
    await tracing?.close();
    throw error;
  }
  // Logged only after a successful start: a failed start reports its reason and nothing else.
  for (const warning of [...engine.secretsWarnings, ...api.warnings]) log.warn({}, warning);
  const provisioned =
    options.provisioning &&
    provision(options.provisioning, {
      automations: engine.automations,
      gateway: engine.gateway,
      teams: () => teamsOf(engine.session),
      log,
      after,
    });
  return {
    url: api.url,
    engine,
    tokenFile: api.tokenFile,
    pageAddress: api.pageAddress,
    async close() {
      provisioned?.close();
      try {
        await stopWithin(
          stopMs,
          [
            { name: 'The local API', close: api.close },
            { name: 'The transfer engine', close: engine.close },
            { name: 'The export of traces', close: async () => tracing?.close() },
          ],
          { silent: 'a disk or network drive', next: 'transfers go on at the next start' },
        );
      } catch (error) {
        log.error({ err: error }, 'the agent did not stop in order');
        throw error;
      }
    },
  };
}

/** Those of all its sessions; the login is asked for its own where nothing is known yet. */
async function teamsOf(session: Engine['session']) {
  const known = () => session.list().flatMap(({ teams }) => teams);
  if (known().length === 0) await session.current();
  return known();
}

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
