import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDiskSink, type DiskSink } from '#engine/io/disk-sink.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A file's name survives a power cut only once its folder is flushed: before that it is not committed. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

describe.each([
  ['small', 26],
  ['large', 1024 * 1024],
])('a %s file', (_, size) => {
  async function setUp() {
    const target = join(folder.path, 'target');
    /** What was flushed, and whether the name stood there by then. */
    const flushes: { readonly path: string; readonly named: boolean; readonly end: PromiseWithResolvers<void> }[] = [];
    const sink: DiskSink = createDiskSink(join(folder.path, '.part'), size, {
      flushFolder(path) {
        const end = Promise.withResolvers<void>();
        flushes.push({ path, named: existsSync(target), end });
        return end.promise;
      },
    });
    await sink.write([Buffer.alloc(size, 'a')], 0);
    return { sink, target, flushes };
  }

  test('is committed when the folder in which it has its name is flushed, and not before', async () => {
    const { sink, target, flushes } = await setUp();
    let committed = false;
    const commit = sink.commit(target, { mtimeMs: 1_000, durable: true }).then(() => {
      committed = true;
    });
    await expect.poll(() => flushes.map(({ path, named }) => [path, named])).toEqual([[folder.path, true]]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(committed).toBe(false);
    flushes[0]!.end.resolve();
    await commit;
    expect(flushes).toHaveLength(1);
  });

  test('whose folder cannot be flushed is not committed', async () => {
    const { sink, target, flushes } = await setUp();
    const commit = sink.commit(target, { mtimeMs: 1_000, durable: true });
    commit.catch(() => {});
    await expect.poll(() => flushes).toHaveLength(1);
    flushes[0]!.end.reject(Object.assign(new Error('input/output error'), { code: 'EIO', syscall: 'fsync' }));
    await expect(commit).rejects.toMatchObject({ code: 'target_unwritable' });
  });

  test('that need not survive one costs no flush', async () => {
    const { sink, target, flushes } = await setUp();
    await sink.commit(target, { mtimeMs: 1_000, durable: false });
    expect(flushes).toEqual([]);
  });
});
