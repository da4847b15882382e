import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDiskSink } from '#engine/io/disk-sink.ts';
import { isOnLocalDisk } from '#filesystem/local-disk.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const size = 1024 * 1024;
const bytes = (letter: string): Buffer => Buffer.alloc(100, letter);

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** A sink whose file is open; what was asked of `syncWhenFast` since. */
async function setUp(syncWhenFast: SyncWhenFast) {
  const asked: number[] = [];
  const path = join(folder.path, 'part');
  const sink = createDiskSink(path, size, {
    syncWhenFast: (work) => {
      asked.push(asked.length);
      return syncWhenFast(work);
    },
  });
  const first = sink.write([bytes('a')], 0);
  expect(first).toBeInstanceOf(Promise);
  await first;
  return { sink, path, asked, near: await isOnLocalDisk(path) };
}

const quick: SyncWhenFast = (work) => work();

describe('a large file that is received', () => {
  test('is written at once where it lies on a quick disk of this machine', async () => {
    const { sink, path, asked, near } = await setUp(quick);
    const written = sink.write([bytes('b'), bytes('c')], 100);
    if (near) expect(written).toBeUndefined();
    await written;
    expect(asked).toHaveLength(near ? 1 : 0);
    expect(readFileSync(path)).toEqual(Buffer.concat([bytes('a'), bytes('b'), bytes('c')]));
    await sink.close();
  });

  test('is written by another thread where the disk is slow, each write after the one before', async () => {
    const { sink, path, asked, near } = await setUp(() => undefined);
    const writes = [sink.write([bytes('b')], 100), sink.write([bytes('c')], 200), sink.write([bytes('d')], 300)];
    for (const write of writes) expect(write).toBeInstanceOf(Promise);
    // While one waits, the others are not tried: they would wait on the file's lock.
    expect(asked).toHaveLength(near ? 1 : 0);
    await Promise.all(writes);
    expect(readFileSync(path).toString()).toBe('abcd'.replace(/./g, '$&'.repeat(100)));
    await sink.close();
  });

  test('says why it could not be written', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });
    const { sink, near } = await setUp(() => {
      throw full;
    });
    if (near) expect(() => sink.write([bytes('b')], 100)).toThrow(expect.objectContaining({ code: 'disk_full', cause: full }));
    await sink.close();
  });

  test('is opened again after it was closed', async () => {
    const { sink, path } = await setUp(quick);
    await sink.close();
    const again = sink.write([bytes('b')], 100);
    expect(again).toBeInstanceOf(Promise);
    await again;
    await sink.close();
    expect(readFileSync(path)).toEqual(Buffer.concat([bytes('a'), bytes('b')]));
  });
});
