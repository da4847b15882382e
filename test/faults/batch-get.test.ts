import { existsSync, mkdirSync, readdirSync, renameSync, statSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { batchGetLimits } from '#client/batch-get.ts';
import { batchesInProgress } from '#engine/transfer/concurrency/limits.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { ApiError } from '#protocol/errors.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { filesOf } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import type { Fault, RequestMatch } from '#test/support/faults/proxy/plan.ts';
import { repeated } from '#test/support/faults/proxy/traffic.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { inAll, whole as isWholeRun } from '#test/support/level.ts';
import { filesBelow } from '#test/support/storage/packed.ts';
import { readTree, seededBytes, type Tree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What happens to a request that fetches many small files, and what comes of each of them. */

vi.setConfig({ testTimeout: 120_000 });

/** Two requests: what one of them meets, the other does not. */
const smallFiles = 160;
const tree: Tree = {
  ...Object.fromEntries(Array.from({ length: smallFiles }, (_, n) => [`${n % 7}/${n}.bin`, seededBytes(10_000 + n, n + 2)])),
  'zero.bin': '',
};
const whole = { state: 'complete', error: null, files: smallFiles + 1 };
const fetching: RequestMatch = { method: 'POST', path: /\/-\/objects$/ };
const asking: RequestMatch = { method: 'POST', path: /\/files\/batch\/download$/ };

let faulty: ProxiedService;
let shared: Awaited<ReturnType<typeof tempFolder>>;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
let sent: AgentTransfer;
let target: string;
let from: number;

beforeAll(async () => {
  faulty = await startProxiedService();
  shared = await tempFolder();
  source = join(shared.path, 'source');
  writeTree(source, tree);
  sent = await send(source, 'Many');
});

async function send(path: string, name: string): Promise<AgentTransfer> {
  const { service, api } = faulty;
  const engine = await startTestEngine({ dataDir: join(shared.path, `sender of ${name}`), serviceUrl: api.url, apiKey: service.apiKey });
  try {
    await engine.session.current();
    const { id } = await engine.transfers.upload({ team_id: service.teamId, paths: [path], package_name: name, recipients: [] });
    return await transferWhen(engine, id);
  } finally {
    await engine.close();
  }
}

afterAll(async () => {
  await faulty?.close();
  await shared?.remove();
});

beforeEach(async () => {
  folder = await tempFolder();
  target = join(folder.path, 'target');
  from = faulty.storage.passages.length;
});

afterEach(async () => {
  try {
    await faulty.verify();
  } finally {
    await folder.remove();
  }
});

interface Planned {
  readonly storage?: readonly Fault[];
  readonly api?: readonly Fault[];
}

/** Fetches a package while these faults happen; gives how that ended. */
async function fetched({ storage = [], api = [] }: Planned, { url } = sent): Promise<AgentTransfer> {
  const { service } = faulty;
  // Short only where it is waited for: a busy machine answers late.
  const timeouts = storage.some((fault) => fault.do === 'stall') ? { stallMs: 700, answerMs: 3_000 } : {};
  const dataDir = join(folder.path, 'agent');
  const engine = await startTestEngine({ dataDir, serviceUrl: faulty.api.url, apiKey: service.apiKey, clock: fastClock(20), timeouts });
  try {
    faulty.storage.plan(storage);
    faulty.api.plan(api);
    const { id } = await engine.transfers.download({ url, dst_folder: target });
    return await transferWhen(engine, id);
  } finally {
    await engine.close();
  }
}

/** All that must hold, whatever happened: each file once, as it was sent, and nothing else beside them. */
async function comesWhole(planned: Planned): Promise<void> {
  expect(await fetched(planned)).toMatchObject(whole);
  expect(readTree(join(target, 'source'))).toEqual(readTree(source));
}

const requests = (fits: (method: string, path: string) => boolean): number =>
  faulty.storage.requests.filter(({ method, path }) => fits(method, path)).length;
const batchGets = (): number => requests((method, path) => method === 'POST' && path.endsWith('/-/objects'));
const singles = (): number => requests((method) => method === 'GET');
const calls = (path: RegExp): number => faulty.api.requests.filter((seen) => path.test(seen.path)).length;

test('all come in a few requests, once each', async () => {
  const [batches, alone, addresses] = [batchGets(), singles(), calls(/\/download$/)];
  await comesWhole({});
  // How full each is depends on how fast addresses come; that they are full for the most part does not.
  expect(batchGets() - batches + (singles() - alone)).toBeLessThan(smallFiles / 4);
  expect(calls(/\/download$/) - addresses).toBeLessThan(30);
  const passages = faulty.storage.passages.slice(from);
  expect(passages.filter(({ method }) => method === 'GET')).toHaveLength(smallFiles);
  expect(repeated(passages, 'GET')).toEqual([]);
});

const gateway = { answer: { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' } };
const confused = { answer: { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: '[{"length":3}]\nabc' } };
const faults: readonly (readonly [string, readonly Fault[]])[] = [
  ['is cut off before it has reached the storage', [{ on: fetching, at: { of: 'request', part: 'body', share: 0.6 }, do: 'cut' }]],
  ['is cut off before its answer comes', [{ on: fetching, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' }]],
  ['is cut off in the line that says what comes', [{ on: fetching, at: { of: 'response', part: 'body', share: 0.0005 }, do: 'cut' }]],
  ['is cut off in the midst of its bytes', [{ on: fetching, at: { of: 'response', part: 'body', share: 0.6 }, do: 'cut' }]],
  ['gets half of its answer', [{ on: fetching, at: { of: 'response', part: 'body', share: 0.5 }, do: 'truncate' }]],
  ['stalls in the midst of its bytes', [{ on: fetching, at: { of: 'response', part: 'body', share: 0.5 }, do: 'stall' }]],
  ['reaches the storage twice', [{ on: fetching, do: 'duplicate' }]],
  ['meets a storage that is busy', [{ on: fetching, do: { answer: { status: 503, headers: { 'retry-after': '2' } } } }]],
  ['is answered by a gateway', [{ on: fetching, at: { of: 'response', part: 'head', share: 0 }, do: gateway }]],
  ['gets an answer of other files', [{ on: fetching, at: { of: 'response', part: 'head', share: 0 }, do: confused }]],
  ['gets a line that is corrupted', [{ on: fetching, at: { of: 'response', part: 'body', share: 0.0005 }, do: 'corrupt' }]],
  ['is refused', [{ on: fetching, do: { answer: { status: 405 } } }]],
];

// Every fourth in a run of the first level: each is met by the same call, and by single requests in wire.test.ts.
test.each(faults.filter((_, index) => isWholeRun || index % 4 === 0))(
  'of a request that %s every file comes all the same',
  async (_, planned) => {
    await comesWhole({ storage: planned });
  },
);

test('what had come before an answer broke off does not come again', async () => {
  const before = singles();
  await comesWhole({ storage: [{ on: fetching, at: { of: 'response', part: 'body', share: 0.9 }, do: 'truncate' }] });
  // A tenth of 200 files at most, beside those few that come too late for a batch.
  expect(singles() - before).toBeGreaterThan(0);
  expect(singles() - before).toBeLessThan(60);
});

test(
  'where no such request ever gets through, it is soon not tried any more',
  inAll('the same of parts that are put, in faults/batch-put'),
  async () => {
    // Of twelve requests, by their bytes.
    const larger = join(folder.path, 'larger');
    const files = 12 * Math.floor(batchGetLimits.bytes / smallFileSize);
    writeTree(larger, Object.fromEntries(Array.from({ length: files }, (_, n) => [`${n}.bin`, seededBytes(smallFileSize, 1_000 + n)])));
    const ofTwelve = await send(larger, 'Larger');
    const before = batchGets();
    const storage = [{ on: fetching, do: { answer: { status: 413 } }, always: true }] as const;
    expect(await fetched({ storage }, ofTwelve)).toMatchObject({ state: 'complete', error: null, files });
    expect(readTree(join(target, 'larger'))).toEqual(readTree(larger));
    // Three refusals in a row are enough. Those under way beside the third are refused, too, and no further one begins.
    const refused = batchGets() - before;
    // On a machine so busy that its answers are late, the line counts as far.
    const besideTheThird = batchesInProgress.far - 1;
    expect(refused).toBeGreaterThanOrEqual(3);
    expect(refused).toBeLessThanOrEqual(3 + besideTheThird);
  },
);

test.each(seeds(soaking ? 20 : 1))('a file whose bytes are corrupted on their way comes again by itself (seed %i)', async (seed) => {
  const share = 0.05 + seededRandom(seed)() * 0.9;
  await comesWhole({ storage: [{ on: fetching, at: { of: 'response', part: 'body', share }, do: 'corrupt' }] });
  const passages = faulty.storage.passages.slice(from).filter(({ method }) => method === 'GET');
  expect(new Set(repeated(passages, 'GET')).size).toBe(1);
});

test('those that are gone from the storage fail in the usual words, and the others come', async () => {
  const objects = join(faulty.service.dataDir, 'objects');
  const files = await filesOf(faulty.service, sent.package_id, 'Many');
  const { id } = files.find(({ name }) => name === '77.bin')!;
  // Small files that came together are one file on the disk.
  const rows = await faulty.service.service.services.db
    .selectFrom('files')
    .select(['id', 'object_key'])
    .where('package_id', '=', sent.package_id)
    .execute();
  const segmentOf = (one: string): string => rows.find((row) => row.id === one)!.object_key!.split('.')[0]!;
  const place = (await filesBelow(objects, 'segments/stored')).find((path) => basename(path) === segmentOf(id))!;
  const lost = files.filter((file) => file.kind === 'file' && segmentOf(file.id) === segmentOf(id)).map((file) => file.id);
  renameSync(place, join(folder.path, 'taken away'));
  try {
    const failed = await fetched({});
    expect(failed).toMatchObject({ state: 'error', files: smallFiles + 1 - lost.length });
    expect(failed.error?.message).toContain('The file is no longer in the storage');
    const names = new Set(files.filter((file) => lost.includes(file.id)).map(({ name }) => name));
    const others = Object.entries(readTree(source)).filter(([path, digest]) => digest !== null && !names.has(basename(path)));
    expect(others.length).toBeGreaterThan(0);
    const received = Object.entries(readTree(join(target, 'source'))).filter(([, digest]) => digest !== null);
    expect(Object.fromEntries(received)).toEqual(Object.fromEntries(others));
  } finally {
    renameSync(join(folder.path, 'taken away'), place);
  }
});

describe('the call for many addresses', () => {
  const { status, body } = new ApiError('no_such_endpoint', { method: 'POST', path: '/v1/packages/p/files/batch/download' });
  const rows: readonly [string, Fault][] = [
    ['is cut off', { on: asking, at: { of: 'response', part: 'body', share: 0.5 }, do: 'cut' }],
    ['meets a service that is busy', { on: asking, do: { answer: { status: 503, headers: { 'retry-after': '2' } } } }],
    ['is answered by a gateway', { on: asking, do: gateway }],
    [
      'is none of the service any more',
      { on: asking, do: { answer: { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } } },
    ],
    ['is not asked, since the service does not say what it has', { on: { path: /\/spec$/ }, do: { answer: { status: 404 } } }],
  ];

  // Every third in a run of the first level, as above.
  test.each(rows.filter((_, index) => isWholeRun || index % 3 === 0))('%s: every file comes all the same', async (_, fault) => {
    await comesWhole({ api: [fault] });
  });
});

test.each(seeds(soaking ? 20 : 1))(
  'an agent that is killed while such requests are under way fetches no file again that has its name (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const { service, api, storage } = faulty;
    const dataDir = join(folder.path, 'agent');
    const start = (): Promise<AgentProcess> => startAgentProcess({ dataDir, serviceUrl: api.url, apiKey: service.apiKey });
    const files = await filesOf(service, sent.package_id, 'Many');
    const named = (): Set<string> => new Set(files.filter(({ path, name }) => existsSync(join(target, path, name))).map(({ id }) => id));
    const snapshots: { readonly ids: ReadonlySet<string>; readonly since: number }[] = [];
    storage.rate = 1024 * 1024;
    let agent = await start();
    try {
      let id = '';
      for (let kills = 0; kills < (isWholeRun ? 2 : 1); kills++) {
        const coming = storage.seen(({ path }) => path.endsWith('/-/objects'), 1);
        if (id === '') ({ id } = await agent.post('/downloads', { url: sent.url, dst_folder: target }));
        else agent = await start();
        await coming;
        await sleep(random() * 250);
        await agent.kill();
        snapshots.push({ ids: named(), since: storage.moment() });
      }
      storage.rate = 0;
      agent = await start();
      const got = await agent.when(id, ({ state }) => state === 'complete' || state === 'error');
      expect(got).toMatchObject(whole);
      expect(readTree(join(target, 'source'))).toEqual(readTree(source));
      for (const { ids, since } of snapshots) {
        const later = storage.passages.filter(({ method, begun }) => method === 'GET' && begun > since);
        expect(later.filter(({ what }) => ids.has(what.split(/[/ ]/)[1]!))).toEqual([]);
      }
    } finally {
      await agent.kill();
    }
  },
);

describe.runIf(soaking)('an agent that is killed while its plan is still stored', () => {
  const count = 8_000;
  const kills = seeds(10);
  let large: AgentTransfer;
  let largeSource: string;
  let killedAmid = 0;

  beforeAll(async () => {
    largeSource = join(shared.path, 'large');
    writeTree(largeSource, Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n % 7}/${n}.bin`, `file ${n}`])));
    large = await send(largeSource, 'Large');
  });

  test.each(kills)('keeps what has its name, and has each file once (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const { service, api } = faulty;
    const dataDir = join(folder.path, 'agent');
    const start = (): Promise<AgentProcess> => startAgentProcess({ dataDir, serviceUrl: api.url, apiKey: service.apiKey });
    const into = join(target, 'large');
    mkdirSync(target);
    let agent = await start();
    try {
      const named = new Promise<void>((resolve) => {
        const watcher = watch(target, { recursive: true }, (_, name) => {
          if (name === null || !name.endsWith('.bin')) return;
          watcher.close();
          resolve();
        });
      });
      const { id } = await agent.post('/downloads', { url: large.url, dst_folder: target });
      await named;
      await sleep(random() * 60);
      await agent.kill();
      const { planned } = factsOf(dataDir, id);
      if (planned === 'partly') killedAmid += 1;
      const before = new Map(namesBelow(target).map((name) => [name, statSync(join(target, name)).ino]));
      agent = await start();
      expect(await agent.when(id, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({
        state: 'complete',
        files: count,
      });
      expect(readTree(into)).toEqual(readTree(largeSource));
      for (const [name, ino] of before) expect(statSync(join(target, name)).ino, name).toBe(ino);
    } finally {
      await agent.kill();
    }
  });

  // Of a few seeds none need be.
  test.skipIf(kills.length < 10)('and was killed amid it', () => expect(killedAmid).toBeGreaterThan(0));
});

/** Names of files that have come, without those that are still coming. */
function namesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.bin'));
}

/** As the state file of an agent that does not run has them. */
function factsOf(dataDir: string, id: string): { readonly planned: boolean | 'partly' } {
  const db = new Database(join(dataDir, 'agent', 'agent.db'));
  try {
    return JSON.parse(db.prepare<[string], { facts: string }>('SELECT facts FROM transfers WHERE id = ?').get(id)!.facts);
  } finally {
    db.close();
  }
}
