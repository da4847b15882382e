import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentClient, createAgentClient, fetchTransport } from '#client/agent.ts';
import { followTransfer } from '#client/agent-transfers.ts';
import { plainFetcher } from '#main/plain-fetcher.ts';
import { type Child, startChild } from '#main/start/children.ts';
import { ownersKey } from '#main/start/owner.ts';
import { freePort } from '#main/start/ports.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Contender, Run, Sample } from './contender.ts';
import type { Material } from './material.ts';
import { cpuSecondsOf, peakBytesOf, resetPeak } from './measure/processes.ts';

/** A whole Longshore as people run it: a service and an agent, each a process of its own, driven by the agent's API. */
export interface Longshore {
  /** Sends a file or folder as a package, up to its finalizing. */
  upload(path: string): Promise<{ readonly sample: Sample; readonly url: string }>;
  /** Downloads the package of a link. */
  download(url: string, into: string): Promise<Sample>;
  /** Deletes the stored bytes of all packages that are not kept. */
  emptyStorage(): void;
  /** Keeps all packages that are stored now. */
  keepStorage(): void;
  /** The agent's memory in bytes before its first transfer. */
  readonly restingBytes: number;
  readonly teamId: string;
  /** Where the service really listens. */
  readonly service: { readonly url: string; readonly storageUrl: string; readonly pid: number };
  readonly agent: {
    readonly url: string;
    readonly pid: number;
    readonly client: AgentClient;
  };
  stop(): Promise<void>;
}

interface LongshoreOptions {
  /** A folder of its own. */
  readonly folder: string;
  /** Folder for CPU profiles, written when the two end. */
  readonly profile: string | null;
  /** Public addresses of the service: those that the agent and links use, for example of a slow link before it. */
  readonly publicUrls?: { readonly api: string; readonly storage: string };
  /** Where the storage listens, and its public address; by default it has none beside the one that it listens on. */
  readonly storage?: { readonly port: number; readonly publicUrl: string };
  /** More arguments of the service. */
  readonly serviceArgs?: readonly string[];
  readonly signal: AbortSignal;
}

const owner = { email: 'owner@longshore.example', password: 'measured on loopback only', team: 'Bench' };

export async function startLongshore({
  folder,
  profile,
  publicUrls,
  storage,
  serviceArgs = [],
  signal,
}: LongshoreOptions): Promise<Longshore> {
  signal.throwIfAborted();
  // As root the service runs its PostgreSQL as another user, which needs to traverse this folder.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
  const children: Child[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children.splice(0).toReversed()) await child.stop();
  };
  const start = async (name: 'service' | 'agent', args: string[], env: Record<string, string>): Promise<[Child, string]> => {
    const child = startChild({ name, args: [...args, '--log-level', 'error'], env: { ...env, ...profiling(profile, name) } });
    children.push(child);
    return [child, await child.ready];
  };
  try {
    const anyPort = ['--listen', '127.0.0.1:0'];
    const storagePort = storage?.port ?? (await freePort(0));
    const named = publicUrls ? ['--public-url', publicUrls.api, '--storage-public-url', publicUrls.storage] : [];
    const [service, serviceUrl] = await start(
      'service',
      [
        ...anyPort,
        ...named,
        ...(storage ? ['--storage-public-url', storage.publicUrl] : []),
        ...serviceArgs,
        '--storage-listen',
        `127.0.0.1:${storagePort}`,
        '--data-dir',
        folder,
        '--owner-email',
        owner.email,
        '--team',
        owner.team,
      ],
      { LONGSHORE_OWNER_PASSWORD: owner.password },
    );
    const { apiKey, teamId } = await ownersKey(serviceUrl, { owner }, plainFetcher);
    const [agent, agentUrl] = await start('agent', [...anyPort, '--service-url', publicUrls?.api ?? serviceUrl, '--data-dir', folder], {
      LONGSHORE_API_KEY: apiKey,
      LONGSHORE_VAULT_KEY: 'measured on loopback only',
    });
    const client = createAgentClient({ transport: fetchTransport(agentUrl) });
    const complete = async (begin: () => Promise<AgentTransfer>): Promise<AgentTransfer> => {
      const transfer = await followTransfer(client, begin, { signal });
      if (transfer.state === 'complete') return transfer;
      throw new Error(transfer.error?.message ?? `The transfer ended as ${transfer.state}.`);
    };
    const objects = join(folder, 'service', 'objects', 'objects');
    let kept = new Set<string>();

    const measured = async <T>(work: () => Promise<T>): Promise<[T, Sample]> => {
      const before = { service: cpuSecondsOf(service.pid!), agent: cpuSecondsOf(agent.pid!) };
      resetPeak(agent.pid!);
      const started = performance.now();
      const result = await work();
      const seconds = (performance.now() - started) / 1_000;
      const sample: Sample = {
        seconds,
        cpuSeconds: cpuSecondsOf(agent.pid!) - before.agent,
        serverCpuSeconds: cpuSecondsOf(service.pid!) - before.service,
        peakBytes: peakBytesOf(agent.pid!),
      };
      return [result, sample];
    };

    return {
      async upload(path) {
        const body = { team_id: teamId, paths: [path], package_name: 'Bench', recipients: [] };
        const [transfer, sample] = await measured(() => complete(() => client.call('createUpload', { body, signal })));
        return { sample, url: transfer.url };
      },
      async download(url, into) {
        const body = { url, dst_folder: into };
        const [, sample] = await measured(() => complete(() => client.call('createDownload', { body, signal })));
        return sample;
      },
      emptyStorage() {
        for (const object of objectsIn(objects)) if (!kept.has(object)) rmSync(join(objects, object), { recursive: true, force: true });
      },
      keepStorage() {
        kept = new Set(objectsIn(objects));
      },
      restingBytes: peakBytesOf(agent.pid!),
      teamId,
      service: { url: serviceUrl, storageUrl: `http://127.0.0.1:${storagePort}`, pid: service.pid! },
      agent: { url: agentUrl, pid: agent.pid!, client },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Objects in local storage's folder, as `<shard>/<key>`: the service has no call yet that deletes a finalized package. */
function objectsIn(folder: string): string[] {
  return readdirSync(folder).flatMap((shard) => readdirSync(join(folder, shard)).map((key) => join(shard, key)));
}

function profiling(folder: string | null, name: string): Record<string, string> {
  if (folder === null) return {};
  const into = join(folder, name);
  mkdirSync(into, { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${into}` };
}

/** Longshore as a contender. It first sends each material once; the downloads fetch these packages. */
export async function longshoreContender(
  longshore: Longshore,
  material: Material,
  materials: readonly ('big' | 'small')[] = ['big', 'small'],
): Promise<Contender> {
  const urls = { big: '', small: '' };
  for (const one of materials) urls[one] = (await longshore.upload(material[one])).url;
  longshore.keepStorage();
  const up = async (path: string): Promise<Sample> => {
    const { sample } = await longshore.upload(path);
    longshore.emptyStorage();
    return sample;
  };
  return {
    name: 'Longshore',
    server: 'Longshore',
    works: {
      ...(materials.includes('big') && {
        big_up: () => up(material.big),
        big_down: ({ into }: Run) => longshore.download(urls.big, into),
      }),
      ...(materials.includes('small') && {
        small_up: () => up(material.small),
        small_down: ({ into }: Run) => longshore.download(urls.small, into),
      }),
    },
  };
}
