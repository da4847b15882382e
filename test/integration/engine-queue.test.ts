import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { EngineOptions } from '#engine/engine-options.ts';
import { systemClock } from '#engine/ports.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { blockFolder } from '#test/support/faults/blocked-folder.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { repeated } from '#test/support/faults/proxy/traffic.ts';
import { inAll } from '#test/support/level.ts';
import { askForm, formField, newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MiB = 1024 * 1024;
const hour = 3_600_000;
const twoHours = 2 * hour;

let service: TestService;
let storage: FaultProxy;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
const engines: Engine[] = [];

beforeAll(async () => {
  storage = await startFaultProxy();
  service = await startTestService({ storagePublicUrl: storage.url });
});

afterAll(async () => {
  await service?.close();
  await storage?.close();
});

beforeEach(async () => {
  folder = await tempFolder();
  source = join(folder.path, 'source');
  storage.upstream = service.storageUrl;
  storage.rate = 0;
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  await folder.remove();
});

async function engineAt(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = await startTestEngine({
    dataDir: join(folder.path, 'agent'),
    serviceUrl: service.url,
    apiKey: service.apiKey,
    ...options,
  });
  engines.push(engine);
  return engine;
}

/** As after a restart: another engine on the same data folder. */
async function restarted(engine: Engine, options: Partial<EngineOptions> = {}): Promise<Engine> {
  await engine.close();
  return engineAt(options);
}

function upload(engine: Engine, paths: readonly string[], more: object = {}): Promise<AgentTransfer> {
  return engine.transfers.upload({
    team_id: service.teamId,
    paths: [...paths],
    package_name: 'Queue',
    recipients: [],
    chunk_size: 5 * MiB,
    ...more,
  });
}

let fetches = 0;

/** What a download of the link brings. */
async function fetched(engine: Engine, { url }: AgentTransfer): Promise<ReturnType<typeof readTree>> {
  const target = join(folder.path, `fetched-${++fetches}`);
  const { id } = await engine.transfers.download({ url, dst_folder: target });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null });
  return readTree(target);
}

const below = (name: string, tree: ReturnType<typeof readTree>) =>
  Object.fromEntries(Object.entries(tree).map(([path, digest]) => [`${name}/${path}`, digest]));

const large = seededBytes(31 * MiB, 1);

/** A large file that takes a while, and small ones. */
function writeSource(): void {
  writeTree(source, { 'large.bin': large, 'a.txt': 'a', 'b/c.txt': 'c' });
}

const hurried = { now: () => Date.now(), after: (ms: number, call: () => void) => systemClock.after(ms / 20, call) };
/** Shows another time, while its timers run as ever. */
const clockOff = (by: number) => ({ now: () => Date.now() + by, after: systemClock.after });

describe('pausing', () => {
  test('a paused transfer stands still, also after a restart; resumed, it sends nothing twice', async () => {
    writeSource();
    const engine = await engineAt();
    storage.rate = 20 * MiB;
    const before = storage.passages.length;
    const { id } = await upload(engine, [source]);
    await storage.passed(storage.bytes() + 12 * MiB);
    await engine.transfers.pause(id);
    // What was nearly through is let finish.
    const paused = await transferWhen(engine, id, ({ finishing }) => finishing !== true);
    expect(paused).toMatchObject({ state: 'paused', waiting: null, bytes_per_second: 0, error: null });
    await expect(engine.transfers.pause(id)).resolves.toBeUndefined();
    const next = await restarted(engine);
    expect(await next.transfers.get(id)).toMatchObject({ state: 'paused', priority: paused.priority, position: paused.position });
    storage.rate = 0;
    await next.transfers.resume(id);
    const sent = await transferWhen(next, id);
    expect(sent).toMatchObject({ state: 'complete', files: 3 });
    expect(repeated(storage.passages.slice(before), 'PUT')).toEqual([]);
    expect(await fetched(next, sent)).toEqual(below('source', readTree(source)));
    await expect(next.transfers.resume(id)).rejects.toMatchObject({
      error: 'transfer_conflict',
      message: 'This upload is complete, so it cannot be resumed.',
    });
  });

  test('a pause of two hours is over when the clock says so, and no longer than that when the clock is put back', async () => {
    writeSource();
    const engine = await engineAt();
    await engine.transfers.pauseAll();
    const { id } = await upload(engine, [source]);
    await engine.transfers.pause(id, 2);
    const paused = await engine.transfers.get(id);
    expect(paused.waiting).toMatchObject({ reason: 'Paused for a while; it goes on by itself.' });
    expect(Math.abs(Date.parse(paused.waiting!.until!) - Date.now() - twoHours)).toBeLessThan(60_000);
    const back = await restarted(engine, { clock: clockOff(-24 * hour) });
    const until = Date.parse((await back.transfers.get(id)).waiting!.until!);
    expect(until - (Date.now() - 24 * hour)).toBeLessThanOrEqual(twoHours);
    const later = await restarted(back, { clock: clockOff(24 * hour) });
    expect(await transferWhen(later, id)).toMatchObject({ state: 'complete' });
  });

  test('a pause of a moment is over by itself', async () => {
    writeSource();
    const engine = await engineAt();
    await engine.transfers.pauseAll(0.5 / 3_600);
    const { id } = await upload(engine, [source]);
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete' });
    expect(engine.status().paused).toBeNull();
  });

  test('what is paused or resumed while the folder of a new one is looked at counts for it', async () => {
    writeSource();
    const looking = Promise.withResolvers<void>();
    let seen = Promise.withResolvers<void>();
    const engine = await engineAt({
      fileSystem: {
        ...nodeFileSystem,
        async openDirectory(path, entries) {
          if (path === source) {
            looking.resolve();
            await seen.promise;
          }
          return nodeFileSystem.openDirectory(path, entries);
        },
      },
    });
    await engine.transfers.pauseAll();
    const resumed = upload(engine, [source]);
    await looking.promise;
    await engine.transfers.resumeAll();
    seen.resolve();
    expect(await transferWhen(engine, (await resumed).id)).toMatchObject({ state: 'complete' });
    seen = Promise.withResolvers();
    const paused = upload(engine, [source]);
    await engine.transfers.pauseAll();
    seen.resolve();
    expect(await paused).toMatchObject({ state: 'paused' });
  });

  test(
    'all at once: what runs and what comes is paused until all are resumed, also after a restart',
    inAll('one that is paused over a restart; unit/engine/transfer/pauses; cli-control pauses all'),
    async () => {
      writeSource();
      const engine = await engineAt();
      storage.rate = 20 * MiB;
      const { id: one } = await upload(engine, [source]);
      await storage.passed(storage.bytes() + 2 * MiB);
      await engine.transfers.pauseAll();
      expect(engine.status().paused).toEqual({ until: null });
      const { id: two, state } = await upload(engine, [join(source, 'a.txt')]);
      expect([state, (await engine.transfers.get(one)).state]).toEqual(['paused', 'paused']);
      const next = await restarted(engine);
      expect(next.status()).toMatchObject({ paused: { until: null }, transfers: { active: 0, queued: 0 } });
      storage.rate = 0;
      await next.transfers.resumeAll();
      for (const id of [one, two]) expect(await transferWhen(next, id)).toMatchObject({ state: 'complete' });
      expect((await upload(next, [source])).state).not.toBe('paused');
    },
  );
});

describe('order', () => {
  test(
    'one after another: the more urgent first, then by place, which can be changed',
    inAll('the more urgent between two chunks of another; unit/engine/transfer/order'),
    async () => {
      writeSource();
      const engine = await engineAt();
      await engine.settings.update({ order: 'strict' });
      await engine.transfers.pauseAll();
      const ids: string[] = [];
      for (const priority of ['normal', 'normal', 'low', 'normal', 'high']) ids.push((await upload(engine, [source], { priority })).id);
      const [a, b, c, d, e] = ids as [string, string, string, string, string];
      expect(await engine.transfers.change(d, { position: 0 })).toMatchObject({ id: d, position: 1 });
      await engine.transfers.change(c, { priority: 'normal' });
      await engine.transfers.change(a, { position: 1_000 });
      const next = await restarted(engine);
      expect((await next.transfers.list('all', { page: 1, limit: 10, sort: 'position' })).records.map(({ id }) => id)).toEqual([
        d,
        b,
        c,
        e,
        a,
      ]);
      const begun: string[] = [];
      let most = 0;
      const stop = new AbortController();
      const events = next.events.subscribe(null, stop.signal);
      const watching = (async () => {
        for await (const event of events) {
          if (event.type !== 'transfer.changed') continue;
          if (event.transfer.state === 'transferring' && !begun.includes(event.transfer.id)) begun.push(event.transfer.id);
          most = Math.max(most, next.status().transfers.active);
        }
      })();
      await next.transfers.resumeAll();
      for (const id of ids) await transferWhen(next, id);
      stop.abort();
      await watching;
      expect(begun).toEqual([e, d, b, c, a]);
      expect(most).toBe(1);
      await expect(next.transfers.change(a, { position: 0 })).rejects.toMatchObject({ error: 'transfer_conflict' });
    },
  );

  test('one after another: the more urgent goes between two chunks of the less urgent, of which none is broken off', async () => {
    writeTree(source, { '1.bin': seededBytes(31 * MiB, 1), '2.bin': seededBytes(6 * MiB, 2) });
    const engine = await engineAt();
    await engine.settings.update({ order: 'strict' });
    storage.rate = 20 * MiB;
    const before = storage.passages.length;
    const bytesBefore = storage.bytes();
    const { id: low } = await upload(engine, [join(source, '1.bin')], { priority: 'low' });
    await transferWhen(engine, low, ({ bytes }) => bytes > 0);
    const { id: high } = await upload(engine, [join(source, '2.bin')], { priority: 'high' });
    const urgent = await transferWhen(engine, high);
    expect(urgent.state).toBe('complete');
    expect((await engine.transfers.get(low)).finished_at).toBeNull();
    const sent = await transferWhen(engine, low);
    expect(sent).toMatchObject({ state: 'complete', bytes: 31 * MiB });
    expect(repeated(storage.passages.slice(before), 'PUT')).toEqual([]);
    // A chunk that was broken off would have gone through twice, in part.
    expect(storage.bytes() - bytesBefore).toBeLessThan(37 * MiB + 64 * 1024);
  });

  test('the limit of transfers at once holds for those that run already: the least urgent waits again, and loses nothing', async () => {
    writeTree(source, { '1.bin': seededBytes(21 * MiB, 1), '2.bin': seededBytes(21 * MiB, 2) });
    const engine = await engineAt();
    storage.rate = 20 * MiB;
    const before = storage.passages.length;
    const { id: low } = await upload(engine, [join(source, '1.bin')], { priority: 'low' });
    const { id: high } = await upload(engine, [join(source, '2.bin')], { priority: 'high' });
    await transferWhen(engine, high, ({ bytes }) => bytes > 0);
    expect(engine.status().transfers.active).toBe(2);
    await engine.settings.update({ max_concurrent_transfers: 1 });
    expect(await transferWhen(engine, low, ({ state }) => state === 'queued')).toMatchObject({ error: null });
    expect(await engine.transfers.get(high)).toMatchObject({ state: 'transferring' });
    storage.rate = 0;
    for (const id of [high, low]) expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete' });
    expect(repeated(storage.passages.slice(before), 'PUT')).toEqual([]);
    const next = await restarted(engine);
    expect(next.settings.current()).toMatchObject({ max_concurrent_transfers: 1, order: 'shared' });
  });
});

describe('the end, by hand', () => {
  test('an upload that is not to be finalized is idle, takes more files, and is finalized when told, across restarts', async () => {
    writeSource();
    const other = join(folder.path, 'other/source');
    writeTree(other, { 'more.txt': 'more' });
    const engine = await engineAt();
    const { id } = await upload(engine, [source], { auto_finalize: false });
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'idle', url: '', files: 3, seconds_left: 0 });
    const second = await restarted(engine);
    expect(await second.transfers.get(id)).toMatchObject({ state: 'idle' });
    expect(await second.transfers.addFiles(id, [other])).toMatchObject({ paths: [source, other] });
    expect(await transferWhen(second, id, ({ state, files }) => state === 'idle' && files === 4)).toMatchObject({ total_files: 4 });
    await second.transfers.finalize(id);
    const third = await restarted(second);
    const sent = await transferWhen(third, id);
    expect(sent).toMatchObject({ state: 'complete', files: 4 });
    expect(await fetched(third, sent)).toEqual({ ...below('source', readTree(source)), ...below('source (2)', readTree(other)) });
    await expect(third.transfers.addFiles(id, [other])).rejects.toMatchObject({ error: 'transfer_conflict' });
    await expect(third.transfers.finalize(id)).rejects.toMatchObject({ error: 'transfer_conflict' });
  });

  test('files that are added while others go out go along', async () => {
    writeSource();
    const other = join(folder.path, 'other');
    writeTree(other, { 'x.bin': seededBytes(6 * MiB, 5), 'y/z.txt': 'z' });
    const engine = await engineAt();
    storage.rate = 20 * MiB;
    const { id } = await upload(engine, [source]);
    await storage.passed(storage.bytes() + 2 * MiB);
    await engine.transfers.addFiles(id, [other]);
    storage.rate = 0;
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', files: 5, bytes: 37 * MiB + 3 });
    expect(await fetched(engine, sent)).toEqual({ ...below('source', readTree(source)), ...below('other', readTree(other)) });
  });

  test('files that fail do not hold up the others; they are tried again, or the package is finalized without them', async () => {
    writeTree(source, { 'a:b': 'no name for Windows', 'good.txt': 'good' });
    const engine = await engineAt();
    const { id } = await upload(engine, [source]);
    const failed = await transferWhen(engine, id);
    expect(failed).toMatchObject({ state: 'error', files: 1, total_files: 2, error: { message: expect.stringContaining('1 of 2 files') } });
    const { records } = await engine.transfers.files(id, { page: 1, limit: 10 });
    expect(records.map(({ name, state }) => [name, state])).toEqual([
      ['a:b', 'error'],
      ['good.txt', 'complete'],
    ]);
    await engine.transfers.retry(id);
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'error', files: 1 });
    await engine.transfers.finalize(id);
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', files: 1, error: null });
    expect(Object.keys(await fetched(engine, sent))).toEqual(['source/good.txt']);
  });
});

describe('trying again', () => {
  test('after a cancel everything goes out again, and the package has each file once', async () => {
    writeSource();
    const engine = await engineAt();
    storage.rate = 20 * MiB;
    const { id } = await upload(engine, [source]);
    await storage.passed(storage.bytes() + 12 * MiB);
    await engine.transfers.remove(id);
    expect(await engine.transfers.get(id)).toMatchObject({ state: 'cancelled' });
    storage.rate = 0;
    await engine.transfers.retry(id);
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', files: 3, bytes: 31 * MiB + 2 });
    expect(await fetched(engine, sent)).toEqual(below('source', readTree(source)));
  });

  test('a download that was cancelled', inAll('an upload that was cancelled; faults/engine-adversity cancels a download'), async () => {
    writeSource();
    const engine = await engineAt();
    const sent = await upload(engine, [source]).then(({ id }) => transferWhen(engine, id));
    storage.rate = 20 * MiB;
    const target = join(folder.path, 'target');
    const { id } = await engine.transfers.download({ url: sent.url, dst_folder: target });
    await storage.passed(storage.bytes() + 12 * MiB);
    await engine.transfers.remove(id);
    storage.rate = 0;
    await engine.transfers.retry(id);
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 3 });
    expect(readTree(target)).toEqual(below('source', readTree(source)));
    await expect(engine.transfers.finalize(id)).rejects.toMatchObject({ error: 'transfer_conflict' });
    await expect(engine.transfers.addFiles(id, [source])).rejects.toMatchObject({ error: 'transfer_conflict' });
  });
});

describe('reading', () => {
  test('the first files are through while the scan still finds others', async () => {
    const first = Object.fromEntries(Array.from({ length: 600 }, (_, number) => [`a/${number}`, '']));
    writeTree(source, { ...first, 'b/late': 'late' });
    const late = blockFolder(join(source, 'b'));
    try {
      const engine = await engineAt();
      const { id } = await upload(engine, [source]);
      const early = await transferWhen(engine, id, ({ files }) => files > 0);
      expect(early.total_files).toBeLessThan(601);
      await late.reached;
      late.open();
      expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 601, total_files: 601 });
    } finally {
      late.open();
    }
  });

  test('a file that grows while it is sent is sent whole when it is still; the others do not wait for it', async () => {
    writeSource();
    const growing = join(source, 'large.bin');
    const engine = await engineAt({ clock: hurried });
    storage.rate = 20 * MiB;
    const { id } = await upload(engine, [source]);
    await storage.passed(storage.bytes() + 8 * MiB);
    writeFileSync(growing, seededBytes(33 * MiB, 9));
    storage.rate = 0;
    // It is not still until it was seen that it is waited for: a pause of 100 ms could pass between two looks.
    const writing = setInterval(() => utimesSync(growing, new Date(), new Date()), 20);
    try {
      const waiting = await transferWhen(engine, id, (transfer) => transfer.waiting?.reason.includes('is being written to') ?? false);
      expect(waiting).toMatchObject({ state: 'transferring', error: null });
    } finally {
      clearInterval(writing);
    }
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', files: 3, bytes: 33 * MiB + 2, total_bytes: 33 * MiB + 2 });
    expect(await fetched(engine, sent)).toEqual(below('source', readTree(source)));
  });

  test("systems' own files stay behind and are listed", async () => {
    writeTree(source, { '.DS_Store': 'x', 'a.txt': 'a', 'sub/Thumbs.db': 'x' });
    const engine = await engineAt();
    const { id } = await upload(engine, [source]);
    const sent = await transferWhen(engine, id);
    expect(sent).toMatchObject({ state: 'complete', total_files: 2 });
    expect(await fetched(engine, sent)).toEqual({ 'source/a.txt': readTree(source)['a.txt'], 'source/sub': null });
    const { records } = await engine.transfers.files(id, { page: 1, limit: 10 });
    expect(records.filter(({ state }) => state === 'skipped').map(({ name, error }) => [name, error?.message])).toEqual([
      ['.DS_Store', `${join(source, '.DS_Store')} was left out: it is the system's own.`],
      ['Thumbs.db', expect.stringContaining('was left out')],
    ]);
  });

  test('with nothing to send it says so, and makes no package', async () => {
    mkdirSync(join(folder.path, 'gone'), { recursive: true });
    const engine = await engineAt();
    await engine.transfers.pauseAll();
    const { id } = await upload(engine, [join(folder.path, 'gone')]);
    rmSync(join(folder.path, 'gone'), { recursive: true });
    await engine.transfers.resumeAll();
    expect(await transferWhen(engine, id)).toMatchObject({
      state: 'error',
      package_id: '',
      error: { message: expect.stringContaining('gone') },
    });
  });
});

describe('through a Portal', () => {
  test('with its access code and form, without a session', async () => {
    writeSource();
    const portal = await newPortal(service, { has_access_code: true, access_code: 'open sesame' });
    await askForm(service, portal.id, { fields: [formField('camera', { visibility: 'required' })] });
    const engine = await engineAt({ apiKey: undefined });
    const request = {
      subdomain: portal.subdomain,
      sender: 'mia@example.com',
      package_name: 'Day 12',
      package_description: 'A camera',
      paths: [source],
    };
    await expect(engine.transfers.portalUpload(request)).rejects.toMatchObject({ error: 'access_code_wrong' });
    await expect(engine.transfers.portalUpload({ ...request, access_code: 'open sesame', form: {} })).rejects.toMatchObject({
      error: 'form_response_incomplete',
    });
    const { id } = await engine.transfers.portalUpload({ ...request, access_code: 'open sesame', form: { camera: { value: 'A' } } });
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null, files: 3, links: [], url: '' });
    const found = await service.call<{ records: Package[] }>('GET', `/v1.1/portals/${portal.id}/packages`, {
      headers: { 'x-api-key': service.apiKey },
    });
    expect(found.body.records).toMatchObject([{ name: 'Day 12', sender: 'mia@example.com', state: 'finalized' }]);
  });

  test('one that takes no uploads, or is not there, is refused before anything begins', async () => {
    writeSource();
    const closed = await newPortal(service, { active: false });
    const engine = await engineAt({ apiKey: undefined });
    const request = { sender: 'mia@example.com', package_name: 'x', package_description: '', paths: [source] };
    await expect(engine.transfers.portalUpload({ ...request, portal_id: closed.id })).rejects.toMatchObject({ error: 'portal_closed' });
    await expect(engine.transfers.portalUpload({ ...request, subdomain: 'nobody-has-this' })).rejects.toMatchObject({ error: 'not_found' });
    await expect(engine.transfers.portalUpload(request)).rejects.toMatchObject({ error: 'invalid_request' });
    expect((await engine.transfers.list('all', { page: 1, limit: 10 })).total).toBe(0);
  });
});
