import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { checkInvariants } from '#test/support/faults/invariants.ts';
import { type ProxiedServiceProcess, startProxiedServiceProcess } from '#test/support/faults/proxied-service-process.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { firstOf } from '#test/support/level.ts';
import { seededBytes, type Tree, writeTree } from '#test/support/system/file-tree.ts';
import { eventually, processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The service, its database, the network or the time goes away in the midst of an upload and of its download. */

const MiB = 1024 * 1024;
const day = 24 * 3_600_000;
const tree: Tree = {
  'large.bin': seededBytes(11 * MiB + 3, 1),
  ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`small/${n}.bin`, seededBytes(40_000 + n, n + 2)])),
  'empty/folder': null,
};
const total = 11 * MiB + 3 + 60 * 40_000 + 1_770;
const whole = { state: 'complete', error: null, bytes: total, files: 62 };

let service: ProxiedServiceProcess;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
let engine: Engine;
/** By how much the agent's own clock is put, in milliseconds. */
let shift: number;

vi.setConfig({ testTimeout: 180_000 });

beforeAll(async () => {
  service = await startProxiedServiceProcess({ privateDatabase: true });
});

afterAll(async () => {
  await service?.close();
});

beforeEach(async () => {
  folder = await tempFolder();
  source = join(folder.path, 'source');
  writeTree(source, tree);
  shift = 0;
  const fast = fastClock(10);
  const clock = { ...fast, now: () => fast.now() + shift };
  const dataDir = join(folder.path, 'agent');
  engine = await startTestEngine({ dataDir, serviceUrl: service.api.url, apiKey: service.apiKey, clock });
});

afterEach(async () => {
  for (const proxy of [service.api, service.storage]) {
    proxy.rate = 0;
    proxy.down = false;
  }
  await engine.close();
  await folder.remove();
});

/** Lets something happen when a share of the bytes has passed, which is before the end and after the beginning. */
async function amid(random: () => number, happens: () => Promise<void>, id: string, base: number): Promise<AgentTransfer> {
  const ended = transferWhen(engine, id);
  await service.storage.passed(base + (0.1 + 0.6 * random()) * total);
  await happens();
  service.storage.rate = 0;
  return ended;
}

async function thereAndBack(name: string, seed: number, happens: () => Promise<void>): Promise<void> {
  const random = seededRandom(seed);
  const { storage, teamId } = service;
  const from = storage.passages.length;
  storage.rate = 30 * MiB;
  let base = storage.bytes();
  const asked = { team_id: teamId, paths: [source], package_name: `${name} ${seed}`, recipients: [], chunk_size: 5 * MiB };
  const { id } = await engine.transfers.upload(asked);
  const sent = await amid(random, happens, id, base);
  expect(sent).toMatchObject(whole);
  storage.rate = 30 * MiB;
  base = storage.bytes();
  const target = join(folder.path, name);
  const { id: back } = await engine.transfers.download({ url: sent.url, dst_folder: target });
  expect(await amid(random, happens, back, base)).toMatchObject(whole);
  await checkInvariants({ service, sent, source, received: join(target, 'source'), passages: storage.passages.slice(from) });
}

const some = seeds(soaking ? 10 : 1);

test.each(some)('the service is killed and started again, then stopped in order and started again (seed %i)', async (seed) => {
  const ends = seed % 2 === 1 ? [service.kill, service.stop] : [service.stop, service.kill];
  await thereAndBack('Restarted', seed, async () => {
    await ends.shift()!();
    await service.start();
  });
});

const isPostmaster = ({ command }: { command: string }) => /(^|\/)postgres -D /.test(command) && !command.startsWith('/bin/sh');

test.skipIf(process.platform !== 'linux').each(some)('PostgreSQL is killed under the service (seed %i)', async (seed) => {
  await thereAndBack('Without a database', seed, async () => {
    const [postmaster] = (await processesWith(service.dataDir)).filter(isPostmaster);
    process.kill(postmaster!.pid, 'SIGKILL');
    await eventually('there is another', async () => {
      const [now] = (await processesWith(service.dataDir)).filter(isPostmaster);
      return now !== undefined && now.pid !== postmaster!.pid;
    });
    const whoAmI = () => service.call('GET', '/v1/users/me', { headers: { 'x-api-key': service.apiKey } });
    await eventually('the service answers', async () => (await whoAmI()).status !== 503);
  });
});

test.each(some)('the network is gone and comes back (seed %i)', async (seed) => {
  await thereAndBack('Without a network', seed, async () => {
    for (const proxy of [service.api, service.storage]) proxy.down = true;
    await Promise.race([service.api.refused(8), service.storage.refused(8)]);
    for (const proxy of [service.api, service.storage]) proxy.down = false;
  });
});

test.each(
  firstOf([
    ['back', -day],
    ['forwards', day],
  ]),
)('the clocks of agent and service jump a day %s, together and alone', async (direction, by) => {
  const alone = async (which: 'agent' | 'service' | 'both'): Promise<void> => {
    await thereAndBack(`Clock ${direction} ${which}`, 1, async () => {
      if (which !== 'service') shift += by;
      if (which !== 'agent') service.clock.shift(by);
    });
    service.clock.shift(0);
    shift = 0;
  };
  await alone('both');
  if (!soaking) return;
  await alone('agent');
  await alone('service');
});
