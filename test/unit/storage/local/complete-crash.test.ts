import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { hexOf } from '#storage/digests.ts';
import { StorageError } from '#storage/errors.ts';
import { createDisk } from '#storage/local/disk.ts';
import { prepareFolders } from '#storage/local/folders.ts';
import { layoutOf, objectOf, type PartFile, partFile } from '#storage/local/layout.ts';
import { LocalUploads } from '#storage/local/uploads.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const nodeDisk = createDisk();

/** The power goes at one call of the disk: that call and all after it fail, nothing is tidied up. */
function diskThatStops(at: number) {
  const files = new BreakingFileSystem();
  files.faults.add({ after: at - 1, times: Number.POSITIVE_INFINITY, effect: { code: 'EIO' } });
  return { ...createDisk(files), steps: () => files.faults.calls };
}

const key = 'package/file';
const bytes = [Buffer.from('first part'), Buffer.from('second')];
const parts = bytes.map((part, index) => partFile(index + 1, part.length, hexOf(part)));

describe('a crash at any step', () => {
  let root: string;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    ({ path: root, remove } = await tempFolder());
    await prepareFolders(root, nodeDisk);
  });
  afterEach(() => remove());

  /** An upload with both parts, a stray third one, and one that was being received. */
  async function upload(): Promise<string> {
    const uploadId = new LocalUploads(layoutOf(root), nodeDisk).create(key);
    const folder = layoutOf(root).upload(key, uploadId);
    for (const [index, part] of parts.entries()) await writeFile(join(folder, part.file), bytes[index]!);
    await writeFile(join(folder, partFile(3, 5, hexOf(Buffer.from('stray'))).file), 'stray');
    await writeFile(join(folder, '.receiving'), 'half');
    return uploadId;
  }

  async function restarted(): Promise<LocalUploads> {
    await prepareFolders(root, nodeDisk);
    return new LocalUploads(layoutOf(root), nodeDisk);
  }

  async function stepsOf(work: (uploads: LocalUploads) => Promise<unknown>): Promise<number> {
    const disk = diskThatStops(Number.POSITIVE_INFINITY);
    await work(new LocalUploads(layoutOf(root), disk));
    return disk.steps();
  }

  test('of a completion loses nothing: a retry completes it', async () => {
    const first = await upload();
    const steps = await stepsOf((uploads) => uploads.complete(key, first, parts));
    expect(steps).toBeGreaterThan(6);
    const whole = new LocalUploads(layoutOf(root), nodeDisk).objectParts(key);
    await (await restarted()).delete(key);
    for (let at = 1; at <= steps; at += 1) {
      const uploadId = await upload();
      const dying = new LocalUploads(layoutOf(root), diskThatStops(at));
      await expect(dying.complete(key, uploadId, parts), `step ${at}`).rejects.toThrow(StorageError);
      const alive = await restarted();
      const object = await alive.complete(key, uploadId, parts);
      expect(object.size, `step ${at}`).toBe(16);
      expect(alive.objectParts(key), `step ${at}`).toEqual(whole);
      expect(await readdir(layoutOf(root).object(key)), `step ${at}`).toEqual(parts.map((part) => part.file));
      await alive.delete(key);
    }
  });

  describe.each([
    ['by other threads', undefined],
    ['at once', (work: () => unknown) => work()],
  ])('of many small ones, flushed %s', (_, flushes) => {
    const syncWhenFast = flushes as SyncWhenFast | undefined;
    const keys = ['package/one', 'package/two', 'package/three'];
    const part = parts[0]!;

    /** Each with a part that came again with other bytes, and one that was being received. */
    async function many(): Promise<{ key: string; uploadId: string; parts: [PartFile] }[]> {
      return await Promise.all(
        keys.map(async (one) => {
          const uploadId = new LocalUploads(layoutOf(root), nodeDisk).create(one);
          const folder = layoutOf(root).upload(one, uploadId);
          await writeFile(join(folder, part.file), bytes[0]!);
          await writeFile(join(folder, partFile(1, 5, hexOf(Buffer.from('stray'))).file), 'stray');
          await writeFile(join(folder, '.receiving'), 'half');
          return { key: one, uploadId, parts: [part] as [PartFile] };
        }),
      );
    }

    test('loses none: a retry completes all', async () => {
      const first = await many();
      const counting = diskThatStops(Number.POSITIVE_INFINITY);
      const objects = await new LocalUploads(layoutOf(root), counting, syncWhenFast).completeAll(first);
      expect(objects).toEqual(keys.map(() => objectOf([part])));
      const cleared = await restarted();
      for (const one of keys) await cleared.delete(one);
      for (let at = 1; at <= counting.steps(); at += 1) {
        const uploads = await many();
        const cut = await new LocalUploads(layoutOf(root), diskThatStops(at), syncWhenFast).completeAll(uploads);
        expect(
          cut.some((outcome) => outcome instanceof StorageError),
          `step ${at}`,
        ).toBe(true);
        const alive = new LocalUploads(layoutOf(root), nodeDisk, syncWhenFast);
        await prepareFolders(root, nodeDisk);
        expect(await alive.completeAll(uploads), `step ${at}`).toEqual(objects);
        for (const one of keys) {
          expect(await readdir(layoutOf(root).object(one)), `step ${at}`).toEqual([part.file]);
          await alive.delete(one);
        }
      }
    });

    test.each([
      ['its part', 0],
      ['its folder', 1],
    ])('one that cannot be flushed (%s) is no object, and is told of', async (_, after) => {
      const uploads = await many();
      const files = new BreakingFileSystem();
      const path = layoutOf(root).completing(uploads[1]!.key, uploads[1]!.uploadId);
      files.faults.add({ call: 'flush', path, after, effect: { code: 'EIO' } });
      const outcomes = await new LocalUploads(layoutOf(root), createDisk(files), syncWhenFast).completeAll(uploads);
      expect(files.faults.unmet).toEqual([]);
      expect(outcomes.map((outcome) => outcome instanceof StorageError)).toEqual([false, true, false]);
      const alive = new LocalUploads(layoutOf(root), nodeDisk);
      expect(keys.map((one) => alive.objectParts(one)?.length ?? 0)).toEqual([1, 0, 1]);
      expect(await alive.listParts(keys[1]!, uploads[1]!.uploadId)).toHaveLength(1);
    });

    test('an upload replaces an existing object', async () => {
      const uploads = await many();
      await new LocalUploads(layoutOf(root), nodeDisk).write(keys[0]!, Buffer.from('old'), partFile(1, 3, hexOf(Buffer.from('old'))));
      const outcomes = await new LocalUploads(layoutOf(root), nodeDisk, syncWhenFast).completeAll(uploads);
      expect(outcomes).toEqual(keys.map(() => objectOf([part])));
      expect(await readdir(layoutOf(root).object(keys[0]!))).toEqual([part.file]);
    });
  });

  test('of an upload that was begun twice leaves nothing of the other after completion', async () => {
    /** The answer to the first beginning got lost, so the sender began again. */
    const begunTwice = async (): Promise<string> => {
      await upload();
      return upload();
    };
    const first = await begunTwice();
    const steps = await stepsOf((uploads) => uploads.complete(key, first, parts));
    await (await restarted()).delete(key);
    for (let at = 1; at <= steps; at += 1) {
      const uploadId = await begunTwice();
      await expect(new LocalUploads(layoutOf(root), diskThatStops(at)).complete(key, uploadId, parts)).rejects.toThrow(StorageError);
      const alive = await restarted();
      await alive.complete(key, uploadId, parts);
      expect(await readdir(layoutOf(root).uploadsOf(key).folder), `step ${at}`).toEqual([]);
      await alive.delete(key);
    }
  });

  test('of a deletion leaves the whole object or nothing', async () => {
    const steps = 2;
    for (let at = 1; at <= steps; at += 1) {
      const uploadId = await upload();
      await (await restarted()).complete(key, uploadId, parts);
      await expect(new LocalUploads(layoutOf(root), diskThatStops(at)).delete(key)).rejects.toThrow(StorageError);
      const alive = await restarted();
      expect([0, 2]).toContain(alive.objectParts(key)?.length ?? 0);
      expect(await readdir(join(root, 'trash'))).toEqual([]);
      await alive.delete(key);
      expect(alive.objectParts(key)).toBeNull();
    }
  });

  test('of an overwriting write leaves the whole old or the whole new object', async () => {
    const part = partFile(1, 3, hexOf(Buffer.from('new')));
    await (await restarted()).write(key, Buffer.from('old'), partFile(1, 3, hexOf(Buffer.from('old'))));
    const steps = await stepsOf((uploads) => uploads.write(key, Buffer.from('new'), part));
    for (let at = 1; at <= steps; at += 1) {
      await (await restarted()).write(key, Buffer.from('old'), partFile(1, 3, hexOf(Buffer.from('old'))));
      await expect(new LocalUploads(layoutOf(root), diskThatStops(at)).write(key, Buffer.from('new'), part)).rejects.toThrow(StorageError);
      const alive = await restarted();
      // Between taking the old one away and putting the new one there, a moment has neither: then the caller asks again.
      expect([0, 1]).toContain(alive.objectParts(key)?.length ?? 0);
      expect(await readdir(join(root, 'trash'))).toEqual([]);
      expect((await alive.write(key, Buffer.from('new'), part)).size).toBe(3);
    }
  });

  test('while receiving leaves no partial and no damaged part', async () => {
    const uploadId = await upload();
    const folder = layoutOf(root).upload(key, uploadId);
    await writeFile(join(folder, partFile(4, 100, hexOf(Buffer.from('x'))).file), 'too short: the power went before it was flushed');
    const alive = await restarted();
    expect((await alive.listParts(key, uploadId)).map((part) => part.partNumber)).toEqual([1, 2, 3]);
    expect(await readdir(folder)).toHaveLength(3);
  });

  test('other files in the folder are not touched', async () => {
    await mkdir(join(root, 'notes'));
    await restarted();
    expect(await readdir(root)).toContain('notes');
  });
});

describe('several processes in one folder', () => {
  let root: string;
  let remove: () => Promise<void>;
  const processOf = (disk = nodeDisk, sync?: SyncWhenFast): LocalUploads => new LocalUploads(layoutOf(root), disk, sync, true);

  beforeEach(async () => {
    ({ path: root, remove } = await tempFolder());
    await prepareFolders(root, nodeDisk);
  });
  afterEach(() => remove());

  async function upload(): Promise<string> {
    const uploadId = processOf().create(key);
    const folder = layoutOf(root).upload(key, uploadId);
    for (const [index, part] of parts.entries()) await writeFile(join(folder, part.file), bytes[index]!);
    await writeFile(join(folder, '.receiving'), 'half');
    return uploadId;
  }

  async function stepsOfCompletion(): Promise<number> {
    const counting = diskThatStops(Number.POSITIVE_INFINITY);
    await processOf(counting).complete(key, await upload(), parts);
    await processOf().delete(key);
    return counting.steps();
  }

  test('one that died amid a completion leaves it to the others, without a start of the storage', async () => {
    const steps = await stepsOfCompletion();
    for (let at = 1; at <= steps; at += 1) {
      const uploadId = await upload();
      await expect(processOf(diskThatStops(at)).complete(key, uploadId, parts), `step ${at}`).rejects.toThrow(StorageError);
      const other = processOf();
      const listed = await other.listParts(key, uploadId).catch(() => null);
      if (listed !== null) expect(listed, `step ${at}`).toHaveLength(2);
      expect((await other.complete(key, uploadId, parts)).size, `step ${at}`).toBe(16);
      expect(await readdir(layoutOf(root).object(key)), `step ${at}`).toEqual(parts.map(({ file }) => file));
      expect(await readdir(join(root, 'completing')), `step ${at}`).toEqual([]);
      await other.delete(key);
    }
  });

  /** A disk of which one call waits while another process does all of its work. */
  function diskWithVisit(at: number, visit: () => Promise<unknown>) {
    let flushes = 0;
    const flush = async (work: () => Promise<void>): Promise<void> => {
      flushes += 1;
      if (flushes === at) await visit();
      await work();
    };
    return {
      ...nodeDisk,
      syncFile: (path: string) => flush(() => nodeDisk.syncFile(path)),
      syncFolder: (path: string) => flush(() => nodeDisk.syncFolder(path)),
      visited: () => flushes >= at,
    };
  }

  test.each([1, 2, 3, 4])(
    'two complete one upload, the second at flush %d of the first: both say the same, and it is whole',
    async (at) => {
      const uploadId = await upload();
      let second: unknown;
      const disk = diskWithVisit(at, async () => {
        second = await processOf().complete(key, uploadId, parts);
      });
      const first = await processOf(disk).complete(key, uploadId, parts);
      expect(disk.visited()).toBe(true);
      expect(second).toEqual(first);
      expect(await readdir(layoutOf(root).object(key))).toEqual(parts.map(({ file }) => file));
    },
  );

  test('one object is not taken away by a second process that puts it in the place of an older one', async () => {
    const old = partFile(1, 3, hexOf(Buffer.from('old')));
    await processOf().write(key, Buffer.from('old'), old);
    const uploadId = await upload();
    let visited = false;
    const first: LocalUploads = processOf({
      ...nodeDisk,
      rename(from, to) {
        // Between the look at the older one and its removal.
        if (!visited && to.includes('trash')) {
          visited = true;
          nodeDisk.rename(from, join(root, 'trash', 'older'));
          nodeDisk.rename(layoutOf(root).completing(key, uploadId), from);
        }
        nodeDisk.rename(from, to);
      },
    });
    expect((await first.complete(key, uploadId, parts)).size).toBe(16);
    expect(visited).toBe(true);
    expect(
      processOf()
        .objectParts(key)
        ?.map(({ file }) => file),
    ).toEqual(parts.map(({ file }) => file));
  });

  test('a start of the storage leaves alone what others work on, and recovers it later', async () => {
    const uploadId = await upload();
    const folder = layoutOf(root).upload(key, uploadId);
    const frozen = layoutOf(root).completing('package/other', uploadId);
    for (const path of [frozen, join(root, 'trash', 'written')]) {
      await mkdir(path);
      await writeFile(join(path, parts[0]!.file), bytes[0]!);
    }
    const torn = partFile(2, 100, hexOf(Buffer.from('x'))).file;
    await writeFile(join(frozen, torn), 'too short');
    await prepareFolders(root, nodeDisk, Date.now() - 60_000);
    expect(await readdir(folder)).toContain('.receiving');
    expect(await readdir(frozen)).toEqual([parts[0]!.file]);
    expect(await readdir(join(root, 'trash', 'written'))).toHaveLength(1);
    await prepareFolders(root, nodeDisk, Date.now() + 60_000);
    expect(await readdir(folder)).not.toContain('.receiving');
    expect(await readdir(join(root, 'completing'))).toEqual([]);
    expect(await readdir(join(root, 'trash'))).toEqual([]);
  });

  test('a part that a power failure cut off makes no object, though the storage has not recovered yet', async () => {
    const uploadId = await upload();
    await writeFile(join(layoutOf(root).upload(key, uploadId), parts[1]!.file), 'se');
    await expect(processOf().complete(key, uploadId, parts)).rejects.toMatchObject({ code: 'part_missing' });
    expect(processOf().objectParts(key)).toBeNull();
    await writeFile(join(layoutOf(root).upload(key, uploadId), parts[1]!.file), bytes[1]!);
    expect((await processOf().complete(key, uploadId, parts)).size).toBe(16);
  });
});

describe('concurrent calls', () => {
  test('completing twice at the same time gives both the same answer', async () => {
    const { path: root, remove } = await tempFolder();
    await prepareFolders(root, nodeDisk);
    const uploads = new LocalUploads(layoutOf(root), nodeDisk);
    const uploadId = uploads.create(key);
    for (const [index, part] of parts.entries()) await writeFile(join(layoutOf(root).upload(key, uploadId), part.file), bytes[index]!);
    const [one, two] = await Promise.all([uploads.complete(key, uploadId, parts), uploads.complete(key, uploadId, parts)]);
    expect(one).toEqual(two);
    await remove();
  });

  test('ten thousand parts are listed in order', async () => {
    const hex = hexOf(Buffer.from('x'));
    const names = Array.from({ length: 10_000 }, (_, index) => partFile(index + 1, 5, hex).file);
    const uploads = new LocalUploads(layoutOf('/storage'), { ...nodeDisk, list: () => names.toReversed() });
    const listed = await uploads.listParts(key, '0'.repeat(32));
    expect(listed.map((part) => part.partNumber)).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
  });
});
