import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { agentClient, remoteAgent } from '../cli/agent-connection/remote-agent.ts';
import { type ExitCode, exitCodes } from '../cli/exit-codes.ts';
import { CommandError } from '../cli/failure.ts';
import { durationText, printable } from '../cli/format.ts';
import { createProgress } from '../cli/progress.ts';
import { plainFetcher } from '../plain-fetcher.ts';
import { type Child, ChildFailed, type ChildOptions, startChild } from './children.ts';
import { type Crossing, cross } from './crossing.ts';
import { type OpenedFacts, openFacts, writeFacts } from './facts.ts';
import { startMailPage } from './mail-page.ts';
import { ownersKey } from './owner.ts';
import { buildPages } from './pages.ts';
import { freePort } from './ports.ts';
import { addressReport, crossingReport } from './report.ts';

interface StartOptions {
  /** The file or folder to send: an absolute path. */
  readonly path: string;
  readonly dataDir: string;
  /** Exit after the crossing. */
  readonly once: boolean;
  /** As the service's option. */
  readonly allowPrivateConnections: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** Fires on a stop request. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  /** Milliseconds since the command's start. */
  readonly elapsed: () => number;
  /** Default: `freePort`. */
  readonly findPort?: typeof freePort;
}

/**
 * An agent's log has lines for programs, of which a person who tries Longshore needs none but errors. What an agent warns
 * of at its start stands in its status too, and is said from there.
 */
const quietLog = ['--log-level', 'error'] as const;

const wantedPorts = { service: 8080, storage: 8081, agent: 8090 } as const;

/** How often other ports are chosen when a program takes one between its choice and its use. */
const portRetries = 2;

/**
 * A complete crossing on this machine: service, agent, second agent. No process is left running afterwards, after a
 * failure either.
 */
export async function run(options: StartOptions): Promise<ExitCode> {
  const { path, dataDir, env, say } = options;
  await checkSource(path, dataDir);
  const opened = await openFacts(dataDir, env);
  say(opened.first ? `Starting for the first time. Data: ${dataDir}` : `Starting with the data in ${dataDir}`);
  for (let retries = 0; ; retries += 1) {
    try {
      // The facts are read anew: a failed attempt may have added a key.
      return await attempt(options, { ...(await openFacts(dataDir, env)), first: opened.first });
    } catch (error) {
      if (!(error instanceof ChildFailed)) throw error;
      const code = exitCodeOfChild(error.code);
      if (code !== exitCodes.listen || retries === portRetries || options.signal.aborted) {
        throw new CommandError(code, error.message, { cause: error });
      }
      say('A port was taken in the meantime. Trying with another one.');
    }
  }
}

async function attempt(options: StartOptions, opened: OpenedFacts): Promise<ExitCode> {
  const crew = createCrew(options.signal);
  let code: ExitCode = exitCodes.interrupted;
  const carried = carry(options, opened, crew, (same) => {
    code = same ? exitCodes.ok : exitCodes.failure;
  });
  // When a process has ended, the crossing fails as a consequence. That second error is ignored.
  carried.catch(() => undefined);
  try {
    await Promise.race([carried, crew.lost]);
    return code;
  } catch (error) {
    if (options.signal.aborted) return code;
    throw error;
  } finally {
    if (!options.once && options.signal.aborted) options.say('\nStopping.');
    await crew.dismiss();
  }
}

/** The processes of a run. */
interface Crew {
  /** Fires when one of them has exited, or on a stop request. */
  readonly signal: AbortSignal;
  /** Rejects with the reason of that signal. */
  readonly lost: Promise<never>;
  /** @throws when the signal has fired already */
  start(options: ChildOptions): Child;
  /** Stops all of them in reverse order: agents before the service that they use. */
  dismiss(): Promise<void>;
}

function createCrew(stop: AbortSignal): Crew {
  const children: Child[] = [];
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  const lost = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  lost.catch(() => undefined);
  return {
    signal,
    lost,
    start(options) {
      signal.throwIfAborted();
      const child = startChild(options);
      children.push(child);
      const unexpected = (how: string) => over.abort(new Error(`The ${child.name} has ended unexpectedly (${how}).`));
      void child.ready.then(
        () => child.ended.then((code) => unexpected(code === null ? 'by a signal' : `exit code ${code}`)),
        (error) => over.abort(error),
      );
      return child;
    },
    async dismiss() {
      over.abort(new Error('The work is done.'));
      for (const child of children.toReversed()) await child.stop();
    },
  };
}

async function carry(
  options: StartOptions,
  { facts, first, file }: OpenedFacts,
  crew: Crew,
  onCompared: (same: boolean) => void,
): Promise<void> {
  const { dataDir, path, once, allowPrivateConnections, say, elapsed } = options;
  const ports = await choosePorts(options);
  const serviceUrl = `http://127.0.0.1:${ports.service}`;
  const service = crew.start({
    name: 'service',
    args: [
      ...['--listen', `127.0.0.1:${ports.service}`, '--storage-listen', `127.0.0.1:${ports.storage}`, '--data-dir', dataDir],
      ...(allowPrivateConnections ? ['--allow-private-connections'] : []),
    ],
    env: {
      LONGSHORE_OWNER_EMAIL: facts.owner.email,
      LONGSHORE_OWNER_PASSWORD: facts.owner.password,
      LONGSHORE_TEAM: facts.owner.team,
      LONGSHORE_OPERATORS: options.env['LONGSHORE_OPERATORS'] || facts.owner.email,
    },
  });
  // The receiver needs no session, only the link, so it starts without waiting for the service.
  const receiver = crew.start({
    name: 'agent',
    args: ['--listen', '127.0.0.1:0', '--service-url', serviceUrl, '--data-dir', join(dataDir, 'receiver'), ...quietLog],
    env: { LONGSHORE_API_KEY: '' },
  });
  const key = await ownersKey(await service.ready, facts, plainFetcher);
  if (key.made) await writeFacts(dataDir, { ...facts, apiKey: key.apiKey });
  const agent = crew.start({
    name: 'agent',
    args: ['--listen', `127.0.0.1:${ports.agent}`, '--service-url', serviceUrl, '--data-dir', dataDir, ...quietLog],
    env: { LONGSHORE_API_KEY: key.apiKey },
  });
  const agentUrl = await agent.ready;
  const { warnings } = await agentClient({ url: agentUrl }).call('status', {});
  for (const warning of warnings) say(`Note: ${printable(warning)}`);

  const progress = createProgress(process.stderr);
  const crossing = await cross({
    sender: remoteAgent({ url: agentUrl }),
    receiver: receiver.ready.then((url) => remoteAgent({ url })),
    teamId: key.teamId,
    path,
    receivedDir: join(dataDir, 'received'),
    progress,
    signal: crew.signal,
    onFirstByte: () => {
      progress.end();
      say(`First byte sent ${durationTenths(elapsed())} after the start.`);
    },
  });
  await keepLatest(dataDir, { ...facts, apiKey: key.apiKey }, crossing);
  say(crossingReport(path, crossing));
  onCompared(crossing.comparison.differences.length === 0);
  if (once) return;

  const built = await buildPages();
  if (built.length > 0) say(`Built the pages: ${built.join(', ')}.`);
  const mails = options.env['LONGSHORE_SMTP_URL'] ? null : await startMailPage(join(dataDir, 'service/outbox'));
  say(
    addressReport({ agentUrl, serviceUrl, link: crossing.link, mailsUrl: mails?.url ?? null, owner: facts.owner, factsFile: file, first }),
  );
  try {
    await crew.lost;
  } finally {
    await mails?.close();
  }
}

const durationTenths = (milliseconds: number): string =>
  milliseconds < 60_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : durationText(milliseconds / 1_000);

/** Keeps only the latest copy: older copies would fill the disk. Removes only what was created here. */
async function keepLatest(dataDir: string, facts: Parameters<typeof writeFacts>[1], { received }: Crossing): Promise<void> {
  const before = facts.received;
  await writeFacts(dataDir, { ...facts, received });
  if (before !== undefined && before !== received && dirname(before) === join(dataDir, 'received')) {
    await rm(before, { recursive: true, force: true });
  }
}

async function choosePorts({ say, findPort = freePort }: StartOptions): Promise<{ service: number; storage: number; agent: number }> {
  const service = await findPort(wantedPorts.service);
  const storage = await findPort(wantedPorts.storage, [service]);
  const agent = await findPort(wantedPorts.agent, [service, storage]);
  const moved = Object.entries({ service, storage, agent })
    .filter(([name, port]) => port !== wantedPorts[name as keyof typeof wantedPorts])
    .map(([name, port]) => `${wantedPorts[name as keyof typeof wantedPorts]} is taken, so the ${name} takes ${port}`);
  if (moved.length > 0) say(`Port ${moved.join('; port ')}.`);
  return { service, storage, agent };
}

/** The source must exist, and must not contain the data folder, which grows while it is read. */
async function checkSource(path: string, dataDir: string): Promise<void> {
  const real = await realpath(path).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.local, `There is no file or folder at ${path}.`, { cause });
  });
  if (basename(real) === '') throw new CommandError(exitCodes.usage, 'Give a folder with a name, not the whole disk.');
  const data = await realpath(dataDir).catch(() => dataDir);
  if (data === real || data.startsWith(real + sep)) {
    throw new CommandError(exitCodes.usage, `${path} holds the data folder ${dataDir}. Send another folder, or choose another --data-dir.`);
  }
}

const exitCodeOfChild = (code: number): ExitCode =>
  (Object.values(exitCodes) as number[]).includes(code) && code !== 0 ? (code as ExitCode) : exitCodes.failure;
