import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { checkInvariants } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { whole as isWholeRun } from '#test/support/level.ts';
import { seededBytes, type Tree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/**
 * An agent that is killed by SIGKILL again and again, in upload, finalizing and download: seven times a seed, at
 * moments that are counted at the proxies, and some milliseconds later that the seed chooses. It never shows less than before.
 */

vi.setConfig({ testTimeout: 300_000 });

const MiB = 1024 * 1024;
const rate = 40 * MiB;
const smallFiles = 120;
const tree: Tree = {
  // So large that every moment comes, though four chunks of each killed agent lie in the system's buffers and arrive all the same.
  'large.bin': seededBytes((isWholeRun ? 64 : 45) * MiB + 17, 1),
  ...Object.fromEntries(Array.from({ length: smallFiles }, (_, n) => [`small/${n % 7}/${n}.bin`, seededBytes(20_000 + n, n + 2)])),
  'empty/folder': null,
  'zero.bin': '',
};
const whole = { state: 'complete', error: null, files: smallFiles + 3 };

let faulty: ProxiedService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
const agents = new Set<AgentProcess>();

beforeAll(async () => {
  folder = await tempFolder();
  source = join(folder.path, 'source');
  writeTree(source, tree);
  faulty = await startProxiedService();
});

afterAll(async () => {
  for (const agent of agents) await agent.kill();
  await faulty?.close();
  await folder?.remove();
});

async function start(dataDir: string): Promise<AgentProcess> {
  const { service, api } = faulty;
  const agent = await startAgentProcess({ dataDir, serviceUrl: api.url, apiKey: service.apiKey });
  agents.add(agent);
  return agent;
}

/** Resolves when its moment has come. Called while nobody sends, so that nothing is missed. */
type Moment = () => Promise<void>;

const call =
  (method: string, path: RegExp): Moment =>
  () =>
    faulty.api.seen((seen) => seen.method === method && path.test(seen.path), 1);
const moved =
  (method: string, nth: number): Moment =>
  () =>
    faulty.storage.seen((seen) => seen.method === method, nth);
const batchPut: Moment = () => faulty.storage.seen(({ method, path }) => method === 'POST' && path.endsWith('/-/parts'), 1);
const passed =
  (bytes: number): Moment =>
  () =>
    faulty.storage.passed(faulty.storage.bytes() + bytes);

const file = '[0-9a-f-]{36}';
const chooser =
  (random: () => number) =>
  <T>(of: readonly T[]): T =>
    of[Math.floor(random() * of.length)]!;

/** In the order in which they come, none of which can be over before the one before it was waited for. */
function uploadMoments(random: () => number): Moment[] {
  const one = chooser(random);
  return [
    one([
      call('POST', /^\/v1\/teams\/[^/]+\/packages$/),
      call('POST', /\/files\/batch\/blueprints$/),
      batchPut,
      call('POST', /\/files$/),
      call('POST', new RegExp(`/files/${file}$`)),
      call('POST', /\/files\/batch\/record$/),
      moved('POST', 1),
    ]),
    moved('PUT', 1 + Math.floor(random() * 3)),
    passed(random() * 9 * MiB),
    one([
      call('POST', new RegExp(`/files/${file}/finalize$`)),
      call('POST', /^\/v1\/packages\/[^/]+\/finalize$/),
      call('GET', /\/receipt$/),
      call('GET', /\/links$/),
    ]),
  ];
}

function downloadMoments(random: () => number): Moment[] {
  const one = chooser(random);
  return [
    one([call('GET', /\/files$/), call('GET', /\/download$/), moved('GET', 1)]),
    passed(random() * 15 * MiB),
    call('GET', /\/receipt$/),
  ];
}

/** Kills the agent at each moment, and starts it again; gives the transfer as it is in the end. */
async function through(
  dataDir: string,
  moments: readonly Moment[],
  random: () => number,
  begin: (agent: AgentProcess) => Promise<AgentTransfer>,
): Promise<AgentTransfer> {
  let agent = await start(dataDir);
  let id = '';
  let shown = 0;
  const look = async () => {
    const { bytes } = await agent.call<AgentTransfer>('GET', `/transfers/${id}`);
    expect(bytes).toBeGreaterThanOrEqual(shown);
    shown = bytes;
  };
  for (const moment of moments) {
    // A kill that is never due would be waited for until the test's time is over.
    const due = moment();
    if (id === '') ({ id } = await begin(agent));
    else {
      agent = await start(dataDir);
      await look();
    }
    await due;
    await sleep(random() * 40);
    await look();
    await agent.kill();
    agents.delete(agent);
  }
  faulty.storage.rate = 0;
  agent = await start(dataDir);
  await look();
  const transfer = await agent.when(id, ({ state }) => state === 'complete' || state === 'error');
  await agent.stop();
  agents.delete(agent);
  return transfer;
}

/** In a run of the first level at every other moment: amid the bytes, and while it finalizes. */
const kept = (moments: readonly Moment[]): readonly Moment[] => (isWholeRun ? moments : moments.filter((_, index) => index % 2 === 1));

test.each(seeds(soaking ? 29 : 1))(`is killed ${isWholeRun ? 'seven' : 'three'} times, and all arrives once (seed %i)`, async (seed) => {
  const random = seededRandom(seed);
  const { service, storage } = faulty;
  const from = storage.passages.length;
  storage.rate = rate;
  const sent = await through(join(folder.path, `sender-${seed}`), kept(uploadMoments(random)), random, (agent) =>
    agent.post('/uploads', {
      team_id: service.teamId,
      paths: [source],
      package_name: `Killed ${seed}`,
      recipients: [],
      chunk_size: 5 * MiB,
    }),
  );
  expect(sent).toMatchObject(whole);
  storage.rate = rate;
  const target = join(folder.path, `received-${seed}`);
  const got = await through(join(folder.path, `receiver-${seed}`), kept(downloadMoments(random)), random, (agent) =>
    agent.post('/downloads', { url: sent.url, dst_folder: target }),
  );
  expect(got).toMatchObject(whole);
  await checkInvariants({ service, sent, source, received: join(target, 'source'), passages: storage.passages.slice(from) });
});
