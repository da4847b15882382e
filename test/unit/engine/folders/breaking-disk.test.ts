import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSafeRoot, openFolder, probeNames } from '#engine/folders/safe-root.ts';
import { createDiskSink } from '#engine/io/disk-sink.ts';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** Where a download writes, on disks that are not as one would wish. */
let folder: Awaited<ReturnType<typeof diskFolder>>;
let base: string;
beforeEach(async () => {
  folder = await diskFolder();
  base = realpathSync(folder.path);
});
afterEach(() => folder.remove());

test('a folder named in other letters than the disk has is taken as it is there', () => {
  const fileSystem = new BreakingFileSystem({ foldsCase: true });
  mkdirSync(join(base, 'Downloads'));
  const root = openFolder(join(base, 'downloads'), null, fileSystem);
  expect(root).toBe(join(base, 'Downloads'));
  const safeRoot = createSafeRoot(root, null, fileSystem);
  expect(safeRoot.folder('day/takes')).toBe(join(base, 'Downloads', 'day', 'takes'));
  // Without the disk's letters, everything below would seem to lead out of the folder.
  expect(() => createSafeRoot(join(base, 'downloads'), null, fileSystem).folder('day')).toThrow('leads out');
  expect(probeNames(root, 'x', fileSystem)).toEqual({ foldsCase: true, foldsUnicode: true });
});

test('nothing is made while the chosen folder is not there, and its files go on when it is back', () => {
  const fileSystem = new BreakingFileSystem();
  const root = join(base, 'drive');
  mkdirSync(root);
  const safeRoot = createSafeRoot(root, null, fileSystem);
  fileSystem.vanish(root);
  expect(() => safeRoot.folder('day')).toThrow(expect.objectContaining({ code: 'target_unwritable' }));
  fileSystem.comeBack(root);
  expect(fileSystem.list(root)).toEqual([]);
  expect(safeRoot.folder('day')).toBe(join(root, 'day'));
});

test.each([
  ['small', 1_000],
  ['large', 3_000_000],
])('a %s file for which the disk is full is whole once there is room', async (_, size) => {
  const fileSystem = new BreakingFileSystem();
  const bytes = Buffer.alloc(size, 'abc');
  const sink = createDiskSink(join(base, '.part'), size, { fileSystem });
  fileSystem.limitedSpace.limit(size - 10);
  await expect((async () => sink.write([bytes], 0))()).rejects.toMatchObject({ code: 'disk_full' });
  fileSystem.limitedSpace.giveBack(size);
  await sink.write([bytes], 0);
  await sink.commit(join(base, 'whole'), { mtimeMs: 1_000, durable: true });
  expect(readFileSync(join(base, 'whole')).equals(bytes)).toBe(true);
  expect(fileSystem.openFiles).toEqual([]);
});

test('a file whose bytes cannot be flushed does not get its name', async () => {
  const fileSystem = new BreakingFileSystem();
  fileSystem.faults.add({ call: 'flush', path: join(base, '.part'), effect: { code: 'EIO' } });
  const sink = createDiskSink(join(base, '.part'), 5, { fileSystem });
  await sink.write([Buffer.from('bytes')], 0);
  await expect(sink.commit(join(base, 'whole'), { mtimeMs: 1_000, durable: true })).rejects.toMatchObject({ code: 'target_unwritable' });
  expect(fileSystem.list(base)).toEqual(['.part']);
  await sink.commit(join(base, 'whole'), { mtimeMs: 1_000, durable: true });
  expect(fileSystem.list(base)).toEqual(['whole']);
});
