import { rmSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { batchPutLimits } from '#client/batch-put.ts';
import { batchesInProgress, largestSmallFile } from '#engine/transfer/concurrency/limits.ts';
import { hostedErrors } from '#protocol/errors/hosted.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { checkInvariants } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import type { Fault, RequestMatch } from '#test/support/faults/proxy/plan.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { firstOf, whole as isWholeRun } from '#test/support/level.ts';
import { filesBelow } from '#test/support/storage/packed.ts';
import { seededBytes, type Tree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What happens to a request that sends many small files, and what comes of each of them. */

vi.setConfig({ testTimeout: 120_000 });

const treeOf = (files: number): Tree => ({
  ...Object.fromEntries(Array.from({ length: files - 1 }, (_, n) => [`${n % 7}/${n}.bin`, seededBytes(10_000 + n, n + 2)])),
  'zero.bin': '',
});
/** More than are under way at once: four requests, of which the last begins when another is through. */
const fileCount = 501;
/** Two requests: what one of them meets, the other does not. */
const some = 161;
const whole = (files: number) => ({ state: 'complete', error: null, files });
const batchPutRequest: RequestMatch = { method: 'POST', path: /\/-\/parts$/ };

let faulty: ProxiedService;
let sources: Awaited<ReturnType<typeof tempFolder>>;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let from: number;

const sourceOf = (files: number): string => join(sources.path, String(files), 'source');

beforeAll(async () => {
  faulty = await startProxiedService();
  sources = await tempFolder();
  for (const files of [fileCount, some]) writeTree(sourceOf(files), treeOf(files));
});

afterAll(async () => {
  await faulty?.close();
  await sources?.remove();
});

beforeEach(async () => {
  folder = await tempFolder();
  from = faulty.storage.passages.length;
});

afterEach(async () => {
  try {
    await faulty.verify();
  } finally {
    await folder.remove();
  }
});

const asked = (name: string, files: number) => ({
  team_id: faulty.service.teamId,
  paths: [sourceOf(files)],
  package_name: name,
  recipients: [],
});

interface Meanwhile {
  readonly files?: number;
  readonly meanwhile?: () => Promise<void>;
  /** Parts that the storage confirms. */
  readonly confirmed?: number;
  /** Whether confirmed parts may be sent again. */
  readonly sentAgain?: boolean;
}

/** Sends a tree while these faults happen, and looks at all that must hold. */
async function sent(
  name: string,
  storage: readonly Fault[],
  { files = some, meanwhile = async () => {}, confirmed = files, sentAgain = false }: Meanwhile = {},
): Promise<void> {
  const { service, api } = faulty;
  // Short only where it is waited for: a busy machine answers late.
  const timeouts = storage.some((fault) => fault.do === 'stall') ? { stallMs: 700, answerMs: 3_000 } : {};
  const dataDir = join(folder.path, 'agent');
  const engine = await startTestEngine({ dataDir, serviceUrl: api.url, apiKey: service.apiKey, clock: fastClock(20), timeouts });
  try {
    await engine.session.current();
    faulty.storage.plan(storage);
    const { id } = await engine.transfers.upload(asked(name, files));
    await meanwhile();
    const upload = await transferWhen(engine, id);
    expect(upload).toMatchObject(whole(files));
    const passages = faulty.storage.passages.slice(from);
    expect(new Set(passages.filter(({ method }) => method === 'PUT').map(({ what }) => what)).size).toBe(confirmed);
    await checkInvariants({ service, sent: upload, source: sourceOf(files), passages: sentAgain ? [] : passages });
  } finally {
    await engine.close();
  }
}

const batchPutCount = (): number =>
  faulty.storage.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/-/parts')).length;

test('all go in a few requests', async () => {
  const before = batchPutCount();
  const puts = () => faulty.storage.requests.filter(({ method }) => method === 'PUT').length;
  const putsBefore = puts();
  await sent('Quietly', [], { files: fileCount });
  // How full each is depends on how fast the disk gives files; that they are full for the most part does not.
  expect(batchPutCount() - before + (puts() - putsBefore)).toBeLessThan(fileCount / 10);
});

const gateway = { answer: { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' } };
const confused = { answer: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"parts":[{"etag":"b3-0"}]}' } };
const faults: readonly (readonly [string, readonly Fault[]])[] = [
  ['is cut off in the midst of its bytes', [{ on: batchPutRequest, at: { of: 'request', part: 'body', share: 0.6 }, do: 'cut' }]],
  ['is cut off before its answer comes', [{ on: batchPutRequest, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' }]],
  ['gets half of its answer', [{ on: batchPutRequest, at: { of: 'response', part: 'body', share: 0.5 }, do: 'truncate' }]],
  ['stalls in the midst of its bytes', [{ on: batchPutRequest, at: { of: 'request', part: 'body', share: 0.5 }, do: 'stall' }]],
  ['reaches the storage twice', [{ on: batchPutRequest, do: 'duplicate' }]],
  ['meets a storage that is busy', [{ on: batchPutRequest, do: { answer: { status: 503, headers: { 'retry-after': '2' } } } }]],
  [
    'is answered by a gateway that has lost the storage after it took all',
    [{ on: batchPutRequest, at: { of: 'response', part: 'head', share: 0 }, do: gateway }],
  ],
  ['gets an answer of other parts', [{ on: batchPutRequest, at: { of: 'response', part: 'head', share: 0 }, do: confused }]],
  ['is refused, so that each goes by itself', [{ on: batchPutRequest, do: { answer: { status: 405 } } }]],
];

// Every fourth in a run of the first level: each is met by the same call, and by single requests in wire.test.ts.
test.each(faults.filter((_, index) => isWholeRun || index % 4 === 0))(
  'a request that %s loses nothing, and sends nothing again that was confirmed',
  async (what, planned) => {
    await sent(`It ${what}`, planned);
  },
);

test('where no such request ever gets through, it is soon not tried any more', async () => {
  // Of twelve requests, by their bytes.
  const files = 12 * Math.floor(batchPutLimits.bytes / smallFileSize);
  writeTree(sourceOf(files), Object.fromEntries(Array.from({ length: files }, (_, n) => [`${n}.bin`, seededBytes(smallFileSize, n)])));
  const before = batchPutCount();
  await sent('By itself', [{ on: batchPutRequest, do: { answer: { status: 413 } }, always: true }], { files });
  // Three refusals in a row are enough. Those under way beside the third are refused, too, and no further one begins.
  const refused = batchPutCount() - before;
  // On a machine so busy that its answers are late, the line counts as far.
  const besideTheThird = batchesInProgress.far - 1;
  expect(refused).toBeGreaterThanOrEqual(3);
  expect(refused).toBeLessThanOrEqual(3 + besideTheThird);
});

test.each(seeds(soaking ? 20 : 1))(
  'a part that the storage refuses because other bytes arrived goes again alone (seed %i)',
  async (seed) => {
    const share = 0.5 + seededRandom(seed)() * 0.45;
    await sent(`Corrupted ${seed}`, [{ on: batchPutRequest, at: { of: 'request', part: 'body', share }, do: 'corrupt' }], {
      confirmed: some + 1,
    });
  },
);

test('parts that are gone before they are completed are sent again', async () => {
  const recording: RequestMatch = { method: 'POST', path: /\/files\/batch\/record$/ };
  const gate = Promise.withResolvers<void>();
  faulty.api.plan([{ on: recording, do: { until: gate.promise } }]);
  const held = faulty.api.seen(({ path }) => recording.path!.test(path), 1);
  const lost: string[] = [];
  await sent('Lost', [], {
    meanwhile: async () => {
      await held;
      for (const path of await filesBelow(join(faulty.service.dataDir, 'objects'), 'segments/open')) {
        // One that is still written, by a request beside the one whose record is held.
        if (basename(path).startsWith('.')) continue;
        rmSync(path);
        lost.push(path);
      }
      gate.resolve();
    },
    sentAgain: true,
  });
  expect(lost).not.toEqual([]);
});

test.each(
  firstOf([
    ['once they were sent', /\/files\/batch\/record$/, true],
    ['before they were sent', /\/files\/batch\/blueprints$/, false],
  ] as const),
)('a node of an earlier version, met %s, has them created as before', async (_when, path, sentAgain) => {
  const { no_such_endpoint: unknown } = hostedErrors;
  const answer = {
    status: unknown.status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: unknown.code, message: 'There is no such endpoint.' }),
  };
  faulty.api.plan([{ on: { method: 'POST', path }, do: { answer }, always: true }]);
  await sent(`Earlier, ${_when}`, [], { sentAgain });
});

test.each(firstOf(['is lost on its way back', 'is lost on its way there'] as const))(
  'where the call that records files %s, nothing goes again',
  async (what) => {
    const recording: RequestMatch = { method: 'POST', path: /\/files\/batch\/record$/ };
    const of = what === 'is lost on its way back' ? 'response' : 'request';
    faulty.api.plan([{ on: recording, at: { of, part: 'head', share: 0 }, do: 'cut' }]);
    await sent(`It ${what}`, []);
  },
);

test.each(seeds(soaking ? 20 : 1))(
  'an agent that is killed while such requests are under way sends nothing twice (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const { service, api, storage } = faulty;
    const dataDir = join(folder.path, 'agent');
    const start = (): Promise<AgentProcess> => startAgentProcess({ dataDir, serviceUrl: api.url, apiKey: service.apiKey });
    storage.rate = 4 * 1024 * 1024;
    let agent = await start();
    try {
      let id = '';
      for (let kills = 0; kills < (isWholeRun ? 2 : 1); kills++) {
        const coming = storage.seen(({ path }) => path.endsWith('/-/parts'), 1);
        if (id === '') ({ id } = await agent.post('/uploads', asked(`Killed amid ${seed}`, fileCount)));
        else agent = await start();
        // What was on its way at the kill may have been all there was.
        const over = agent.when(id, ({ state }) => state === 'complete').catch(() => undefined);
        await Promise.race([coming, over]);
        await sleep(random() * 250);
        await agent.kill();
      }
      storage.rate = 0;
      agent = await start();
      const upload = await agent.when(id, ({ state }) => state === 'complete' || state === 'error');
      expect(upload).toMatchObject(whole(fileCount));
      // What the storage still stores of a request whose sender is dead, nobody is told of.
      await checkInvariants({ service, sent: upload, source: sourceOf(fileCount), passages: storage.passages.slice(from) });
    } finally {
      await agent.kill();
    }
  },
);

// Last, since the service clears away what it leaves.
test('small files do not wait for large ones that stand, however many these are', async () => {
  const { service, api, storage } = faulty;
  const large = Array.from({ length: 400 }, (_, n) => `large/${n}.bin`);
  const source = join(folder.path, 'source');
  writeTree(source, {
    ...Object.fromEntries(large.map((name) => [name, ''])),
    'then/1.bin': 'one',
    'then/2.bin': 'two',
    'then/3.bin': 'three',
  });
  for (const name of large) truncateSync(join(source, name), largestSmallFile + 1);
  const engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: api.url, apiKey: service.apiKey });
  try {
    await engine.session.current();
    storage.plan([{ on: { method: 'PUT' }, do: 'stall', always: true }]);
    const stands = storage.seen(({ method }) => method === 'PUT', 1);
    const { id } = await engine.transfers.upload({ ...asked('Behind large ones', some), paths: [source] });
    expect(await transferWhen(engine, id, ({ files }) => files > 0 && files % 3 === 0)).toMatchObject({ state: 'transferring', files: 3 });
    // Opening the large ones may take longer than all small ones do.
    await stands;
    await engine.transfers.remove(id);
  } finally {
    await engine.close();
  }
});
