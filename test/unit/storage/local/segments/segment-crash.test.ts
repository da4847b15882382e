import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { hexOf } from '#storage/digests.ts';
import { StorageError } from '#storage/errors.ts';
import { newPackedUploadId, newSegment, newUploadGroup } from '#storage/keys.ts';
import { createDisk } from '#storage/local/disk.ts';
import { layoutOf, partFile } from '#storage/local/layout.ts';
import { prepareSegments } from '#storage/local/segments/segment-cleanup.ts';
import { createSegments, type Segments } from '#storage/local/segments/segments.ts';
import { packedKey, parsePackedKey } from '#storage/packed-key.ts';
import type { UploadToComplete } from '#storage/ports.ts';
import { type PackedPart, segmentTail } from '#storage/segments/format.ts';
import { filesBelow } from '#test/support/storage/packed.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const now: SyncWhenFast = (work) => work();
const never: SyncWhenFast = () => undefined;

/** The power goes at one call of the disk: that call and all after it fail, nothing is tidied up. */
function diskThatStops(at: number): BreakingFileSystem {
  const files = new BreakingFileSystem();
  files.faults.add({ after: at - 1, times: Number.POSITIVE_INFINITY, effect: { code: 'EIO' } });
  return files;
}

describe.each([
  ['by other threads', never],
  ['at once', now],
])('a crash at any step, flushed %s', (_, syncWhenFast) => {
  let root: string;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ path: root, remove } = await tempFolder());
    await restarted();
  });
  afterEach(() => remove());

  const segmentsOn = (files: FileSystem): Segments =>
    createSegments({ files, layout: layoutOf(root), disk: createDisk(files), syncWhenFast, readSyncWhenFast: now });

  async function restarted(): Promise<Segments> {
    await prepareSegments({ files: nodeFileSystem, layout: layoutOf(root), disk: createDisk() });
    return segmentsOn(nodeFileSystem);
  }

  /** Two segments of one group, as two requests leave them. */
  async function received(): Promise<UploadToComplete[]> {
    const group = newUploadGroup();
    const uploads: UploadToComplete[] = [];
    for (const texts of [['one', 'two'], ['three']]) {
      const segment = newSegment(group);
      const parts: PackedPart[] = [];
      let offset = 0;
      for (const text of texts) {
        const bytes = Buffer.from(text);
        const part = { key: `key-${text}`, uploadId: newPackedUploadId(group), offset, length: bytes.length, hex: hexOf(bytes) };
        parts.push(part);
        uploads.push({ key: part.key, uploadId: part.uploadId, parts: [partFile(1, part.length, part.hex)] });
        offset += bytes.length;
      }
      await writeFile(
        join(layoutOf(root).openSegments(segment), segment),
        Buffer.concat([Buffer.from(texts.join('')), segmentTail(segment, parts)]),
      );
    }
    return uploads;
  }

  async function stepsOf(work: (segments: Segments) => Promise<unknown>): Promise<number> {
    const files = diskThatStops(Number.POSITIVE_INFINITY);
    await work(segmentsOn(files));
    return files.faults.calls;
  }

  const textsOf = (segments: Segments, keys: readonly string[]): string[] =>
    keys.map((key) => segments.objects.readNow(parsePackedKey(key)!).toString());

  test('of a completion loses nothing: a retry completes all', async () => {
    const first = await received();
    const steps = await stepsOf((segments) => segments.uploads.completeAll(first));
    expect(steps).toBeGreaterThan(10);
    for (let at = 1; at <= steps; at += 1) {
      const uploads = await received();
      const cut = await segmentsOn(diskThatStops(at)).uploads.completeAll(uploads);
      const alive = await restarted();
      const objects = await alive.uploads.completeAll(uploads);
      const isLost = (index: number): boolean => objects[index] === null;
      // Only bytes that could not be flushed are given up: their sender was told so, and sends them again.
      for (const index of uploads.keys()) if (isLost(index)) expect(cut[index], `step ${at}`).toBeInstanceOf(StorageError);
      const there = objects.flatMap((object) => (object === null || object instanceof StorageError ? [] : [object.key!]));
      const expected = ['one', 'two', 'three'].filter((_text, index) => !isLost(index));
      expect(textsOf(alive, there), `step ${at}`).toEqual(expected);
      // What was said to be complete is so for ever.
      for (const [index, said] of cut.entries())
        if (said && !(said instanceof StorageError)) expect(objects[index], `step ${at}`).toEqual(said);
    }
  });

  test('of a rewrite leaves the old objects, and the new ones whole or not at all', async () => {
    const keysOf = async (): Promise<string[]> =>
      (await (await restarted()).uploads.completeAll(await received())).map((object) => (object as { key: string }).key);
    const first = await keysOf();
    const steps = await stepsOf((segments) => segments.calls.pack(first));
    expect(steps).toBeGreaterThan(5);
    for (let at = 1; at <= steps; at += 1) {
      const keys = await keysOf();
      const before = new Set(await filesBelow(root, 'segments/stored'));
      await expect(segmentsOn(diskThatStops(at)).calls.pack(keys), `step ${at}`).rejects.toThrow(StorageError);
      const alive = await restarted();
      expect(await filesBelow(root, 'segments/open'), `step ${at}`).toEqual([]);
      expect(textsOf(alive, keys), `step ${at}`).toEqual(['one', 'two', 'three']);
      for (const path of (await filesBelow(root, 'segments/stored')).filter((one) => !before.has(one))) {
        const segment = path.slice(-32);
        const places = [0, 3, 6].map((offset, index) => packedKey({ segment, offset, length: [3, 3, 5][index]! }));
        expect(textsOf(alive, places), `step ${at}`).toEqual(['one', 'two', 'three']);
      }
    }
  });

  test('of receiving leaves a segment whole or none', async () => {
    const uploads = await received();
    const [torn, whole] = await filesBelow(root, 'segments/open');
    await writeFile(join(torn!, '..', '.being-written'), 'half');
    await writeFile(torn!, 'the power went before it was flushed');
    const alive = await restarted();
    expect(await filesBelow(root, 'segments/open')).toEqual([whole]);
    const found = (await alive.uploads.completeAll(uploads)).filter((object) => object !== null);
    expect([1, 2]).toContain(found.length);
  });
});
