import { cpSync, mkdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { collectableDrives, startDrive } from '#test/support/faults/leaving-drive.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { mount, noMounts, unmount } from '#test/support/system/mounts.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** Uploads whose drive goes, and leaves the empty folder that it was mounted on. */

const tree = { 'first/a.mov': 'a', 'first/b.mov': 'b', 'second/deep/c.mov': 'c', 'second/d.mov': 'd' };
/** More files than the scan notes at once, in the folder that it reads first. */
const fullFolder = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`first/${index}.txt`, `${index}`]));

let service: TestService;
let folder: Awaited<ReturnType<typeof diskFolder>>;
let fileSystem: BreakingFileSystem;
let engine: Engine;
let source: string;
let mountPoint: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  folder = await diskFolder();
  [source, mountPoint] = [join(folder.path, 'card'), join(folder.path, 'mount-point')];
  mkdirSync(mountPoint);
  await start();
});
afterEach(async () => {
  await engine.close();
  expect(fileSystem.faults.unmet).toEqual([]);
  await folder.remove();
});

async function start({ isAway = false } = {}): Promise<void> {
  fileSystem = new BreakingFileSystem();
  if (isAway) fileSystem.unmount(source, mountPoint);
  const dataDir = join(folder.path, 'agent');
  engine = await startTestEngine({ dataDir, serviceUrl: service.url, apiKey: service.apiKey, clock: fastClock(20), fileSystem });
}

async function send(paths: readonly string[] = [source]): Promise<string> {
  const asked = { team_id: service.teamId, paths: [...paths], package_name: 'Card', recipients: [], chunk_size: 5 * 1024 * 1024 };
  return (await engine.transfers.upload(asked)).id;
}

const waits = ({ waiting }: AgentTransfer): boolean => waiting?.reason.includes('is at') ?? false;

/** It says so instead of going on. */
async function expectToWait(id: string): Promise<void> {
  const transfer = await transferWhen(engine, id, (found) => (found.state !== 'transferring' && found.state !== 'queued') || waits(found));
  expect(transfer).toMatchObject({
    state: 'transferring',
    waiting: { cause: 'source_gone', reason: expect.stringContaining('Connect its drive again') },
  });
}

async function expectWhole(id: string): Promise<void> {
  const count = Object.keys(readTree(source)).length;
  const sent = await transferWhen(engine, id);
  expect(sent).toMatchObject({ state: 'complete', error: null, files: count, total_files: count });
  const target = join(folder.path, 'target');
  const { id: back } = await engine.transfers.download({ url: sent.url!, dst_folder: target, create_package_folder: false });
  expect(await transferWhen(engine, back)).toMatchObject({ state: 'complete', error: null });
  expect(readTree(join(target, 'card'))).toEqual(readTree(source));
}

test('a queued upload whose drive goes before its scan waits, also in an agent that is started meanwhile', async () => {
  writeTree(source, tree);
  await engine.transfers.pauseAll();
  const id = await send();
  await engine.close();
  await start({ isAway: true });
  await engine.transfers.resumeAll();
  await expectToWait(id);
  expect(await engine.transfers.get(id)).toMatchObject({ files: 0, total_files: 0 });
  fileSystem.comeBack(source);
  await expectWhole(id);
});

test('an agent that ends amid a scan goes on with it only in the folder that it was scanning', async () => {
  writeTree(source, { ...fullFolder, ...tree });
  const gate = Promise.withResolvers<void>();
  const scan = fileSystem.faults.add({ call: 'openDirectory', path: join(source, 'second'), effect: { until: gate.promise } });
  const id = await send();
  await scan.reached;
  await transferWhen(engine, id, ({ files }) => files > 0);
  const closed = engine.close();
  gate.resolve();
  await closed;
  await start({ isAway: true });
  await expectToWait(id);
  fileSystem.comeBack(source);
  await expectWhole(id);
});

test('a drive that goes while its uppermost folder is read is not taken for an empty one', async () => {
  writeTree(source, tree);
  const gate = Promise.withResolvers<void>();
  // It is read once when the upload is asked for.
  const read = fileSystem.faults.add({ call: 'openDirectory', path: /card$/, after: 1, effect: { until: gate.promise } });
  const id = await send();
  await read.reached;
  fileSystem.unmount(source, mountPoint);
  gate.resolve();
  await expectToWait(id);
  fileSystem.comeBack(source);
  await expectWhole(id);
});

test('a drive that goes between two folders of a scan', inAll('a drive that goes while its uppermost folder is read'), async () => {
  writeTree(source, tree);
  const gate = Promise.withResolvers<void>();
  const read = fileSystem.faults.add({ call: 'openDirectory', path: join(source, 'second'), effect: { until: gate.promise } });
  const id = await send();
  await read.reached;
  fileSystem.unmount(source, mountPoint);
  gate.resolve();
  await expectToWait(id);
  fileSystem.comeBack(source);
  await expectWhole(id);
});

test('while a drive is away its upload says so without a break, whichever of its files looks for it', async () => {
  // Each larger than a small file, so that all of them look for it by themselves.
  const clips = Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`clips/${index}.mov`, seededBytes(300 * 1024, index)]));
  writeTree(source, { ...clips, ...tree });
  const gate = Promise.withResolvers<void>();
  const open = fileSystem.faults.add({ call: 'open', path: /\/clips\//, times: 24, effect: { until: gate.promise } });
  const id = await send();
  await open.reached;
  fileSystem.unmount(source, mountPoint);
  gate.resolve();
  await transferWhen(engine, id, ({ waiting }) => waiting !== null);
  const reasons = new Set<string | undefined>();
  let seen = 0;
  await transferWhen(engine, id, ({ waiting }) => {
    reasons.add(waiting?.reason.replace(/; trying again.*|\.$/, ''));
    return ++seen === 20;
  });
  expect([...reasons]).toEqual([expect.stringContaining('Connect its drive again')]);
  fileSystem.comeBack(source);
  await expectWhole(id);
});

test('a file whose drive has come back by the time that it is looked for is sent', async () => {
  writeTree(source, { 'a.mov': seededBytes(300 * 1024, 1), 'b.mov': 'b' });
  fileSystem.faults.add({ call: 'open', path: join(source, 'a.mov'), effect: { code: 'ENOENT' } });
  await expectWhole(await send());
});

test('nothing is sent for a file that another drive has by the same name', async () => {
  writeTree(source, { 'a.mov': 'of the first card', 'b.mov': seededBytes(6 * 1024 * 1024, 1) });
  writeTree(mountPoint, { 'a.mov': 'of the second one', 'b.mov': seededBytes(6 * 1024 * 1024, 2) });
  for (const name of ['a.mov', 'b.mov']) utimesSync(join(mountPoint, name), 1_000_000, 1_000_000);
  const gate = Promise.withResolvers<void>();
  const open = fileSystem.faults.add({ call: 'open', path: join(source, 'b.mov'), effect: { until: gate.promise } });
  const id = await send();
  await open.reached;
  await transferWhen(engine, id, ({ files }) => files === 1);
  fileSystem.unmount(source, mountPoint);
  gate.resolve();
  await expectToWait(id);
  fileSystem.comeBack(source);
  await expectWhole(id);
});

test('a folder that has other numbers when it is connected again is known by what is in it', async () => {
  writeTree(source, { 'a.mov': 'a', 'day/b.mov': 'b' });
  await engine.transfers.pauseAll();
  const id = await send();
  renameSync(source, join(folder.path, 'away'));
  cpSync(join(folder.path, 'away'), source, { recursive: true, preserveTimestamps: true });
  await engine.transfers.resumeAll();
  await expectWhole(id);
});

// They lose their place as real ones do, and some come back with other numbers.
test.each(firstOf(collectableDrives.filter((kind) => kind !== 'folder')))(
  'a real drive (%s) that goes while its upload is queued',
  async (kind) => {
    const drive = await startDrive(kind, folder.path, 'card');
    try {
      writeTree(drive.disk, tree);
      await engine.transfers.pauseAll();
      const id = await send();
      drive.leave(true);
      await engine.transfers.resumeAll();
      await expectToWait(id);
      await drive.comeBack();
      await expectWhole(id);
    } finally {
      drive.end();
    }
  },
);

test.skipIf(noMounts !== '')('a drive that is mounted in a folder of the upload, and goes while that is queued', async () => {
  const [disk, inner] = [join(folder.path, 'disk'), join(source, 'inner drive')];
  writeTree(disk, { 'day/e.mov': 'e' });
  writeTree(source, tree);
  mkdirSync(inner);
  mount('--bind', disk, inner);
  try {
    await engine.transfers.pauseAll();
    const id = await send();
    unmount(inner);
    await engine.transfers.resumeAll();
    await expectToWait(id);
    expect((await engine.transfers.get(id)).waiting?.reason).toContain(inner);
    mount('--bind', disk, inner);
    await expectWhole(id);
  } finally {
    unmount(inner);
  }
});
