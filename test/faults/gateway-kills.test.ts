import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Mount } from '#protocol/agent/mounts.ts';
import type { Connection } from '#protocol/hosted/connections.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { checkStorageInvariants } from '#test/support/faults/invariants.ts';
import { collectableDrives, deliverableDrives, type LeavingDrive, startDrive } from '#test/support/faults/leaving-drive.ts';
import { type ProxiedServiceProcess, startProxiedServiceProcess } from '#test/support/faults/proxied-service-process.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { whole } from '#test/support/level.ts';
import { newSender, type Sender } from '#test/support/service/sender.ts';
import { fileDigest } from '#test/support/service/stored-files.ts';
import { askTransfer, readTransfer, sendAll } from '#test/support/service/transfers.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/**
 * A service, an agent and the processes of its mounts, all of which are killed, and drives that go: two deliveries and
 * a collection at once, and whatever happens, all of it arrives, once, and nowhere else.
 */

vi.setConfig({ testTimeout: 600_000 });

const MiB = 1024 * 1024;
const patiently = { timeout: 90_000, interval: 100 };
const contentOf = (name: string, first: number) => ({
  [`${name}/large.bin`]: seededBytes(3 * MiB + first, first),
  [`${name}/small/a.txt`]: `small ${name}`,
  [`${name}/small/b.bin`]: seededBytes(70_000, first + 1),
  [`${name}/empty.bin`]: Buffer.alloc(0),
});
const delivered = ['one', 'two'].map((name, index) => contentOf(name, 1 + 10 * index) as Record<string, Buffer>);
const toCollect = contentOf('reel', 50);

let service: ProxiedServiceProcess;
let agent: AgentProcess;
let own: Awaited<ReturnType<typeof tempFolder>>;
let senders: readonly Sender[];

const startAgent = (): Promise<AgentProcess> =>
  startAgentProcess({ dataDir: join(own.path, 'agent'), serviceUrl: service.api.url, apiKey: service.apiKey });

beforeAll(async () => {
  own = await tempFolder();
  service = await startProxiedServiceProcess();
  agent = await startAgent();
  senders = await Promise.all(
    delivered.map(async (content) => {
      const sender = await newSender(service, { name: 'Dailies' });
      await sendAll(sender, content);
      return sender;
    }),
  );
});
afterAll(async () => {
  await agent?.kill();
  await service?.close();
  await own?.remove();
});

async function newMount(drive: LeavingDrive, direction: Connection['direction']): Promise<Mount> {
  const { id } = await agent.call<Mount>('POST', '/gateway/mounts', {
    team_id: service.teamId,
    path: drive.root,
    name: `${drive.kind} ${direction}`,
    direction,
  });
  const read = (): Promise<Mount> => agent.call<Mount>('GET', `/gateway/mounts/${id}`);
  await expect.poll(read, patiently).toMatchObject({ state: 'ok' });
  // Rclone writes a second later, and what it has not written goes with it.
  await expect.poll(() => existsSync(join(drive.disk, '.longshore-mount')), patiently).toBe(true);
  return await read();
}

async function newTransfer(sender: Sender, mount: Mount, fields: Record<string, unknown> = {}): Promise<CloudTransfer> {
  const made = await askTransfer(service, sender, { cloud_connection_id: mount.cloud_connection_id, ...fields });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body;
}

/** Those of mounts end with the agent by themselves; here some are killed with it, or alone. */
async function mountProcesses(): Promise<readonly number[]> {
  const all = await processesWith('mount-process/child');
  return all.filter(({ parent }) => parent === agent.pid).map(({ pid }) => pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** The cache is the file system's own. */
const entriesOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !name.endsWith('-cache'))
    .sort();

/** What happens, in words for a failure's message, and how. */
type Fault = readonly [what: string, happens: () => Promise<void>];

function faultsOf(random: () => number, drives: readonly LeavingDrive[]): readonly Fault[] {
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const killAgent = async (): Promise<void> => {
    const children = random() < 0.5 ? await mountProcesses() : [];
    await agent.kill();
    for (const pid of children) kill(pid);
    await sleep(random() * 1_000);
    agent = await startAgent();
  };
  const killService = async (): Promise<void> => {
    await service.kill();
    await sleep(random() * 1_000);
    await service.start();
  };
  const killMount = async (): Promise<void> => {
    const pids = await mountProcesses();
    if (pids.length > 0) kill(one(pids));
  };
  const leave = (drive: LeavingDrive, meanwhile: (() => Promise<void>) | null) => async (): Promise<void> => {
    drive.leave(random() < 0.5);
    await sleep(random() * 4_000);
    await meanwhile?.();
    await drive.comeBack();
  };
  const kinds: (() => Fault)[] = [
    () => ['the agent is killed', killAgent],
    () => ['the service is killed', killService],
    () => ['the process of a mount is killed', killMount],
    () => {
      const drive = one(drives);
      return [`${drive.root} goes (${drive.kind})`, leave(drive, null)];
    },
    () => {
      const drive = one(drives);
      return [`${drive.root} goes (${drive.kind}), and the agent is killed`, leave(drive, killAgent)];
    },
    () => ['connections break', async () => [service.api, service.storage].forEach((proxy) => void proxy.cut())],
  ];
  return Array.from({ length: whole ? 4 : 2 }, () => one(kinds)());
}

/** The states of all once each is complete, one has failed, or it has taken far too long. */
async function endsOf(transfers: readonly CloudTransfer[]): Promise<string[]> {
  const until = Date.now() + 300_000;
  for (;;) {
    const all = await Promise.all(transfers.map((transfer) => readTransfer(service, transfer)));
    const states = all.map(({ state, state_message, error }) => (state === 'complete' ? state : `${state}: ${error || state_message}`));
    if (all.every(({ state }) => state === 'complete') || all.some(({ state }) => state === 'error') || Date.now() > until) return states;
    await sleep(250);
  }
}

/** So many bytes later, or so much time, since nothing moves while something is away. */
const moment = (random: () => number): Promise<unknown> =>
  Promise.race([service.storage.passed(service.storage.bytes() + random() * 3 * MiB), sleep(200 + random() * 4_000)]);

test.each(seeds(soaking ? 100 : 1))('nothing is lost, doubled or outside (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const folder = join(own.path, `seed-${seed}`);
  mkdirSync(folder);
  const nas = await startDrive(one(deliverableDrives), folder, 'nas');
  const source = await startDrive(one(collectableDrives), folder, 'source');
  try {
    writeTree(source.disk, toCollect);
    const before = entriesOf(folder);
    const [to, from] = [await newMount(nas, 'service_to_cloud'), await newMount(source, 'cloud_to_service')];
    const collector = await newSender(service, { name: `Collected ${seed}` });
    service.storage.rate = 2 * MiB;
    const faults = faultsOf(random, [nas, source]);
    const transfers = [
      await newTransfer(senders[0]!, to),
      await newTransfer(senders[1]!, to),
      await newTransfer(collector, from, { files: [{ id: 'reel', name: 'Reel', kind: 'directory' }] }),
    ];
    for (const [, happens] of faults) {
      await moment(random);
      await happens();
    }
    service.storage.rate = 0;

    const what = faults.map(([words]) => words).join('; ');
    expect(await endsOf(transfers), what).toEqual(transfers.map(() => 'complete'));

    expect(readdirSync(nas.disk).sort(), what).toEqual(['.longshore-mount', 'Longshore']);
    const landed = join(nas.disk, 'Longshore');
    expect(readdirSync(landed).sort(), what).toEqual(['Dailies', 'Dailies (2)']);
    const wanted = delivered.map((content, index) => {
      const copy = join(own.path, `wanted-${index}`);
      writeTree(copy, content);
      return readTree(copy);
    });
    const found = ['Dailies', 'Dailies (2)'].map((name) => readTree(join(landed, name)));
    expect(
      found.toSorted((a, b) => (Object.keys(a)[0]! < Object.keys(b)[0]! ? -1 : 1)),
      what,
    ).toEqual(wanted);

    const { body: files } = await service.call<File[]>('GET', `/v1/packages/${collector.package.id}/files`, { headers: collector.token });
    const collected = files.map(({ path, name, state, size, digest }) => [path === '' ? name : `${path}/${name}`, state, size, digest]);
    const chunkSize = Math.max(...files.map(({ chunk_size = 0 }) => chunk_size));
    const expected = Object.entries(toCollect).map(([path, content]) => {
      const bytes = Buffer.from(content);
      return [path.replace('reel', 'Reel'), 'finalized', bytes.length, fileDigest(bytes, chunkSize)];
    });
    expect(collected.toSorted(), what).toEqual(expected.toSorted());
    expect((await collector.finalize()).status, what).toBe(204);
    await vi.waitFor(() => checkStorageInvariants(service), { timeout: 30_000, interval: 500 });

    expect(readdirSync(source.disk).sort(), what).toEqual(['.longshore-mount', 'reel']);
    for (const mount of [to, from]) await agent.call('DELETE', `/gateway/mounts/${mount.id}`);
    expect(entriesOf(folder), what).toEqual(before);
    expect(readdirSync(nas.disk), what).toEqual(['Longshore']);
  } finally {
    service.storage.rate = 0;
    nas.end();
    source.end();
  }
});
