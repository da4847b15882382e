import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { BreakingFileSystem, type BreakingOptions } from '#filesystem/breaking/breaking-file-system.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { firstOf } from '#test/support/level.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Uploads and downloads of a whole engine on disks that are full, fail, are slow, fold case, or go away. */

const MiB = 1024 * 1024;
const card = { 'large.mov': seededBytes(6 * MiB, 1), 'day/a.txt': 'a', 'day/b.txt': 'b', 'day/empty.bin': '' };

let service: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let fileSystem: BreakingFileSystem;
let engine: Engine;
let source: string;
let target: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  folder = await tempFolder();
  [source, target] = [join(folder.path, 'card'), join(folder.path, 'received')];
  mkdirSync(target);
  await startOver({});
});
afterEach(async () => {
  await engine.close();
  // A fault that met nothing has tried nothing.
  expect(fileSystem.faults.unmet).toEqual([]);
  expect(fileSystem.openFiles).toEqual([]);
  await folder.remove();
});

/** An engine on such a disk, whose drive is `away` and has left this mount point. */
async function startOver({ away, ...disk }: Pick<BreakingOptions, 'foldsCase' | 'clock'> & { readonly away?: string }): Promise<void> {
  await engine?.close();
  fileSystem = new BreakingFileSystem(disk);
  if (away !== undefined) fileSystem.unmount(target, away);
  const dataDir = join(folder.path, 'agent');
  engine = await startTestEngine({ dataDir, serviceUrl: service.url, apiKey: service.apiKey, clock: fastClock(20), fileSystem });
}

const send = async (tree: Parameters<typeof writeTree>[1]): Promise<string> => {
  writeTree(source, tree);
  const asked = { team_id: service.teamId, paths: [source], package_name: 'Card', recipients: [], chunk_size: 5 * MiB };
  return (await engine.transfers.upload(asked)).id;
};
const get = async ({ url }: AgentTransfer, into = target): Promise<string> =>
  (await engine.transfers.download({ url, dst_folder: into, create_package_folder: false })).id;

/** To its end; what a fault has ended with an error is told to be tried again, as its remedy says. */
async function completed(id: string): Promise<AgentTransfer> {
  const first = await transferWhen(engine, id);
  if (first.state !== 'error') return first;
  expect(first.error?.message).not.toBe('');
  await engine.transfers.retry(id);
  return transferWhen(engine, id);
}
const wholly = { state: 'complete', error: null };
const stands = ({ state, waiting }: AgentTransfer): boolean => state === 'error' || waiting !== null;

test('a download onto a full disk waits, and is whole once there is room', async () => {
  const sent = await completed(await send(card));
  fileSystem.limitedSpace.limit(2 * MiB);
  const id = await get(sent);
  expect(await transferWhen(engine, id, stands)).toMatchObject({ state: 'transferring', waiting: { cause: 'disk_full' } });
  fileSystem.limitedSpace.giveBack(100 * MiB);
  expect(await transferWhen(engine, id)).toMatchObject(wholly);
  expect(readTree(join(target, 'card'))).toEqual(readTree(source));
});

test('a download looks for its names where something is already, and not in an empty folder', async () => {
  const sent = await completed(await send(card));
  await startOver({ clock: { pass() {} } });
  const looksFor = async (name: string, there: Parameters<typeof writeTree>[1]): Promise<number> => {
    const into = join(target, name);
    mkdirSync(into);
    writeTree(into, there);
    // Not those for what has come of a file so far: they are as often as room on the disk is asked for.
    const looks = Object.keys(card).map((file) =>
      fileSystem.faults.add({
        ...{ call: 'lstat', path: join(into, 'card', file), times: Number.POSITIVE_INFINITY },
        effect: { milliseconds: 0 },
      }),
    );
    expect(await completed(await get(sent, into))).toMatchObject(wholly);
    const found = looks.reduce((sum, { met }) => sum + met, 0);
    // No fault of a test may be left that was not met.
    for (const file of Object.keys(card)) fileSystem.lstatNow(join(into, 'card', file));
    return found;
  };
  const inEmpty = await looksFor('empty', {});
  expect(await looksFor('used', { 'other.txt': 'x' })).toBe(inEmpty + Object.keys(card).length);
});

test.each(firstOf(['read', 'open', 'close'] as const))('an upload for which the disk fails to %s a file loses nothing', async (call) => {
  fileSystem.faults.add({ call, path: join(source, 'large.mov'), effect: { code: 'EIO' } });
  const sent = await completed(await send(card));
  expect(sent).toMatchObject({ ...wholly, files: 4, total_files: 4 });
  expect(await completed(await get(sent))).toMatchObject(wholly);
  expect(readTree(join(target, 'card'))).toEqual(readTree(source));
});

test.each(firstOf(['write', 'open', 'flush'] as const))(
  'a download for which the disk fails to %s a file loses nothing, and leaves nothing half',
  async (call) => {
    const sent = await completed(await send(card));
    fileSystem.faults.add({ call, path: target, times: 2, effect: { code: 'EIO' } });
    expect(await completed(await get(sent))).toMatchObject(wholly);
    expect(readTree(target)).toEqual(
      Object.fromEntries(Object.entries(readTree(source)).map(([path, digest]) => [`card/${path}`, digest])),
    );
  },
);

test('an upload whose drive goes while a file of it is read goes on when the drive is back', async () => {
  const held = Promise.withResolvers<void>();
  const read = fileSystem.faults.add({ call: 'read', path: join(source, 'large.mov'), effect: { until: held.promise } });
  const id = await send(card);
  await read.reached;
  const mountPoint = join(folder.path, 'mount-point');
  mkdirSync(mountPoint);
  // Not for long enough that anything else would notice.
  fileSystem.unmount(source, mountPoint);
  fileSystem.comeBack(source);
  held.resolve();
  expect(await transferWhen(engine, id)).toMatchObject({ ...wholly, files: 4 });
});

test('a disk that takes its time is waited for', async () => {
  const slow = Promise.withResolvers<void>();
  const read = fileSystem.faults.add({ call: 'read', path: join(source, 'large.mov'), effect: { until: slow.promise } });
  const id = await send(card);
  await read.reached;
  expect(await engine.transfers.get(id)).toMatchObject({ state: 'transferring', error: null });
  slow.resolve();
  expect(await transferWhen(engine, id)).toMatchObject({ ...wholly, files: 4 });
});

test('names that are one on a disk that folds case come as two files', async () => {
  const sent = await completed(await send({ 'take.mov': 'lower', 'Take.mov': 'upper' }));
  await startOver({ foldsCase: true });
  expect(await completed(await get(sent))).toMatchObject({ ...wholly, files: 2 });
  const received = readTree(join(target, 'card'));
  expect(Object.values(received).toSorted()).toEqual(Object.values(readTree(source)).toSorted());
  expect(new Set(Object.keys(received).map((name) => name.toLowerCase())).size).toBe(2);
});

test('a download whose folder goes away makes none in its place, and is whole once it is back', async () => {
  const sent = await completed(await send(card));
  const gate = Promise.withResolvers<void>();
  const write = fileSystem.faults.add({ call: 'write', path: target, effect: { until: gate.promise } });
  const id = await get(sent);
  await write.reached;
  fileSystem.vanish(target);
  gate.resolve();
  await transferWhen(engine, id, stands);
  expect(fileSystem.stat(target)).toBe(null);
  fileSystem.comeBack(target);
  expect(await completed(id)).toMatchObject(wholly);
  expect(readTree(join(target, 'card'))).toEqual(readTree(source));
});

test('a download whose drive goes midway puts nothing into its mount point, and is whole once the drive is back', async () => {
  const sent = await completed(await send({ 'first/a.mov': seededBytes(2 * MiB, 1), 'second/b.mov': seededBytes(6 * MiB, 2) }));
  const mountPoint = join(folder.path, 'mount-point');
  mkdirSync(mountPoint);
  const gate = Promise.withResolvers<void>();
  const write = fileSystem.faults.add({ call: 'write', path: join(target, 'card', 'second'), effect: { until: gate.promise } });
  const id = await get(sent);
  await write.reached;
  await transferWhen(engine, id, ({ files }) => files === 1);
  fileSystem.unmount(target, mountPoint);
  gate.resolve();
  const waits = ({ waiting }: AgentTransfer): boolean => waiting?.reason.includes('Another folder is at') ?? false;
  expect(await transferWhen(engine, id, (transfer) => transfer.state !== 'transferring' || waits(transfer))).toMatchObject({
    state: 'transferring',
    waiting: { cause: 'target_unwritable' },
  });
  // An agent that is started meanwhile knows the drive from its mount point too.
  expect(fileSystem.openFiles).toEqual([]);
  await startOver({ away: mountPoint });
  expect(await transferWhen(engine, id, (transfer) => transfer.state === 'complete' || waits(transfer))).toSatisfy(waits);
  expect(readdirSync(mountPoint)).toEqual([]);
  fileSystem.comeBack(target);
  expect(await transferWhen(engine, id)).toMatchObject({ ...wholly, files: 2 });
  expect(readTree(join(target, 'card'))).toEqual(readTree(source));
  expect(readdirSync(mountPoint)).toEqual([]);
});
