import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { EngineOptions } from '#engine/engine-options.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { packageState } from '#test/support/service/packages.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MiB = 1024 * 1024;
let service: TestService;
let storage: FaultProxy;
/** Stands before the API, so that the service can go away and come back. */
let api: FaultProxy;
let folder: Awaited<ReturnType<typeof tempFolder>>;
const engines: Engine[] = [];

beforeAll(async () => {
  storage = await startFaultProxy();
  api = await startFaultProxy();
  service = await startTestService({ storagePublicUrl: storage.url, publicUrl: api.url });
});

afterAll(async () => {
  await service?.close();
  await storage?.close();
  await api?.close();
});

beforeEach(async () => {
  folder = await tempFolder();
  storage.upstream = service.storageUrl;
  api.upstream = service.url;
  storage.rate = 0;
  api.down = false;
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  await folder.remove();
});

async function engineAt(name: string, options: Partial<EngineOptions> = {}): Promise<Engine> {
  const own = { dataDir: join(folder.path, name), serviceUrl: api.url, apiKey: service.apiKey, clock: fastClock(10) };
  const engine = await startTestEngine({ ...own, ...options });
  engines.push(engine);
  return engine;
}

function upload(engine: Engine, path: string): Promise<AgentTransfer> {
  return engine.transfers.upload({
    team_id: service.teamId,
    paths: [path],
    package_name: 'Adversity',
    recipients: [],
    chunk_size: 5 * MiB,
  });
}

const waits = (about: string) => (transfer: AgentTransfer) => transfer.waiting?.reason.includes(about) ?? false;

test('a service that goes away is waited for, in words, and the upload goes on by itself', async () => {
  const source = join(folder.path, 'source');
  writeTree(source, { 'a.bin': seededBytes(12 * MiB, 1), 'b.txt': 'b' });
  const engine = await engineAt('agent');
  await engine.session.current();
  api.down = true;
  const { id } = await upload(engine, source);
  const waiting = await transferWhen(engine, id, waits('cannot be reached'));
  expect(waiting).toMatchObject({ state: 'transferring', error: null });
  expect(waiting.waiting?.reason).toMatch(/trying again in \d+ s\.$/);
  expect(waiting.waiting?.until).toBeDefined();
  api.down = false;
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete' });
});

test('an upload without a session waits for one, and signing in lets it go on', async () => {
  const source = join(folder.path, 'source.txt');
  writeFileSync(source, 'x');
  const first = await engineAt('agent');
  await first.session.current();
  api.down = true;
  const { id } = await upload(first, source);
  await transferWhen(first, id, waits('cannot be reached'));
  await first.close();
  api.down = false;
  const second = await engineAt('agent', { apiKey: undefined });
  await transferWhen(second, id, waits('Sign in'));
  await second.session.signIn(ownerEmail, ownerPassword);
  expect(await transferWhen(second, id)).toMatchObject({ state: 'complete' });
});

test('a folder that vanishes is waited for; a file that is gone from a folder that is there is not', async () => {
  const source = join(folder.path, 'source');
  writeTree(source, { 'a.bin': seededBytes(6 * MiB, 3), 'b/c.txt': 'c' });
  const engine = await engineAt('agent');
  await engine.session.current();
  api.down = true;
  const { id } = await upload(engine, source);
  await transferWhen(engine, id, ({ waiting, total_files }) => waiting !== null && total_files === 2);
  const away = `${source}-away`;
  renameSync(source, away);
  api.down = false;
  const waiting = await transferWhen(engine, id, waits('is not there any more'));
  expect(waiting).toMatchObject({ state: 'transferring', error: null });
  rmSync(join(away, 'b'), { recursive: true });
  renameSync(away, source);
  await engine.session.signIn(ownerEmail, ownerPassword);
  const failed = await transferWhen(engine, id);
  expect(failed).toMatchObject({ state: 'error', files: 1, error: { message: expect.stringContaining('1 of 2 files') } });
  expect(failed.error?.message).toContain(join(source, 'b/c.txt'));
  writeTree(source, { 'b/c.txt': 'back again' });
  const puts = () => storage.passages.filter(({ method }) => method === 'PUT').length;
  const before = puts();
  await engine.transfers.retry(id);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 2, total_files: 2 });
  expect(puts() - before).toBe(1);
});

test('a file that changes meanwhile is sent as it is when it is still', async () => {
  const source = join(folder.path, 'source');
  writeTree(source, { 'a.txt': 'a', 'b.txt': 'b' });
  const engine = await engineAt('agent');
  await engine.session.current();
  api.down = true;
  const { id } = await upload(engine, source);
  await transferWhen(engine, id, ({ waiting, total_files }) => waiting !== null && total_files === 2);
  writeFileSync(join(source, 'b.txt'), 'longer than before');
  api.down = false;
  const sent = await transferWhen(engine, id);
  expect(sent).toMatchObject({
    state: 'complete',
    files: 2,
    bytes: 1 + 'longer than before'.length,
    total_bytes: 1 + 'longer than before'.length,
  });
  const target = join(folder.path, 'target');
  const { id: back } = await engine.transfers.download({ url: sent.url, dst_folder: target });
  await transferWhen(engine, back);
  expect(readTree(target)).toEqual({ 'source/a.txt': readTree(source)['a.txt'], 'source/b.txt': readTree(source)['b.txt'] });
});

test('cancelling stops at once, frees what the service holds, and the record can be removed', async () => {
  const source = join(folder.path, 'source.bin');
  writeFileSync(source, seededBytes(30 * MiB, 4));
  const engine = await engineAt('agent');
  storage.rate = 10 * MiB;
  const { id } = await upload(engine, source);
  await storage.passed(storage.bytes() + 8 * MiB);
  const { package_id } = await engine.transfers.get(id);
  await engine.transfers.remove(id);
  expect(await engine.transfers.get(id)).toMatchObject({ state: 'cancelled', finished_at: expect.any(String), bytes_per_second: 0 });
  await engine.close();
  // Closing cut the cleaning up short or not: at the latest the next start has done it.
  const next = await engineAt('agent');
  await expect.poll(() => packageState(service, package_id)).toBe('expired');
  await next.transfers.remove(id);
  await expect(next.transfers.get(id)).rejects.toMatchObject({ error: 'not_found' });
});

test('a cancelled download leaves what came whole and nothing half', async () => {
  const source = join(folder.path, 'source');
  writeTree(source, { 'a.txt': 'a', 'z.bin': seededBytes(30 * MiB, 5) });
  const engine = await engineAt('agent');
  const sent = await upload(engine, source).then(({ id }) => transferWhen(engine, id));
  storage.rate = 10 * MiB;
  const target = join(folder.path, 'target');
  const { id } = await engine.transfers.download({ url: sent.url, dst_folder: target });
  await storage.passed(storage.bytes() + 12 * MiB);
  await engine.transfers.remove(id);
  await engine.close();
  expect(Object.keys(readTree(target))).toEqual(['source/a.txt']);
});

const canMount = process.getuid?.() === 0 && process.platform === 'linux';

test.skipIf(!canMount)('a disk with too little room is waited for before the first byte, and said in bytes', async (context) => {
  const source = join(folder.path, 'source.bin');
  writeFileSync(source, seededBytes(6 * MiB, 6));
  const engine = await engineAt('agent');
  const sent = await upload(engine, source).then(({ id }) => transferWhen(engine, id));
  const target = join(folder.path, 'small-disk');
  mkdirSync(target);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', target], { stdio: 'ignore' });
  } catch {
    context.skip('A small disk is a tmpfs, and this container may not mount one.');
  }
  try {
    const { id } = await engine.transfers.download({ url: sent.url, dst_folder: target });
    const waiting = await transferWhen(engine, id, waits('too little room'));
    expect(waiting).toMatchObject({ state: 'transferring', bytes: 0, error: null });
    expect(readdirSync(target)).toEqual([]);
    execFileSync('mount', ['-o', 'remount,size=64m', target]);
    await engine.session.signIn(ownerEmail, ownerPassword);
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', bytes: 6 * MiB });
  } finally {
    execFileSync('umount', ['-l', target]);
  }
});

test.skipIf(!canMount)(
  'two downloads do not count on the same room; a disk that fills says how much is missing, and it goes on',
  async (context) => {
    const source = join(folder.path, 'source.bin');
    writeFileSync(source, seededBytes(20 * MiB, 7));
    const engine = await engineAt('agent');
    const sent = await upload(engine, source).then(({ id }) => transferWhen(engine, id));
    const target = join(folder.path, 'small-disk');
    mkdirSync(target);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=30m', 'tmpfs', target], { stdio: 'ignore' });
    } catch {
      context.skip('A small disk is a tmpfs, and this container may not mount one.');
    }
    try {
      storage.rate = 5 * MiB;
      const { id: first } = await engine.transfers.download({ url: sent.url, dst_folder: join(target, 'first') });
      await transferWhen(engine, first, ({ bytes }) => bytes > 0);
      // It is not through before the disk fills.
      storage.rate = MiB / 16;
      const { id: second } = await engine.transfers.download({ url: sent.url, dst_folder: join(target, 'second') });
      expect(await transferWhen(engine, second, waits('beside the'))).toMatchObject({ state: 'transferring', bytes: 0 });
      const filler = join(target, 'filler');
      writeFileSync(filler, Buffer.alloc(15 * MiB));
      storage.rate = 0;
      const full = await transferWhen(engine, first, waits('too little room'));
      expect(full.waiting?.reason).toMatch(/too little room: \d+ more bytes are needed/);
      expect(full).toMatchObject({ state: 'transferring', error: null });
      rmSync(filler);
      await engine.session.signIn(ownerEmail, ownerPassword);
      expect(await transferWhen(engine, first)).toMatchObject({ state: 'complete', bytes: 20 * MiB });
      expect((await engine.transfers.get(second)).bytes).toBe(0);
      execFileSync('mount', ['-o', 'remount,size=60m', target]);
      await engine.session.signIn(ownerEmail, ownerPassword);
      expect(await transferWhen(engine, second)).toMatchObject({ state: 'complete', bytes: 20 * MiB });
      const [one] = Object.values(readTree(join(target, 'first')));
      expect([one, Object.values(readTree(join(target, 'second')))]).toEqual([expect.any(String), [one]]);
    } finally {
      execFileSync('umount', ['-l', target]);
    }
  },
);

test('a second engine on the same data folder is refused in words', async () => {
  await engineAt('agent');
  await expect(engineAt('agent')).rejects.toMatchObject({ code: 'data_folder_in_use' });
  await expect(engineAt('other', { serviceUrl: 'not an address' })).rejects.toMatchObject({ code: 'bad_service_url' });
});
