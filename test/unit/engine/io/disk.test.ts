import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { sourceFailure, targetFailure } from '#engine/io/disk-failures.ts';
import { createDiskSink } from '#engine/io/disk-sink.ts';
import { sameStamp, stampOf } from '#engine/io/file-stamp.ts';
import { wasCommitted } from '#engine/io/publish-file.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFully, writeFully } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function folder(): Promise<string> {
  const made = await tempFolder();
  endings.push(made.remove);
  return made.path;
}

const mtimeMs = Date.parse('2024-02-29T12:34:56.789Z');
const quick = { mtimeMs, durable: false };
const MiB = 1024 * 1024;

describe.each([
  ['small', 26],
  ['large', 3 * MiB],
])('a %s file that is received', (_, size) => {
  const content = Buffer.alloc(size, 'abcdefghijklmnopqrstuvwxyz');
  const half = Math.floor(size / 2);

  async function setUp() {
    const path = await folder();
    const sink = createDiskSink(join(path, '.part'), size);
    endings.push(sink.close);
    return { path, sink, target: join(path, 'target') };
  }

  test.each([false, true])('gets its bytes, its time and its name (durable: %s)', async (durable) => {
    const { sink, target, path } = await setUp();
    await Promise.all([sink.write([content.subarray(half)], half), sink.write([content.subarray(0, 3), content.subarray(3, half)], 0)]);
    expect(existsSync(target)).toBe(false);
    await sink.commit(target, { mtimeMs, durable });
    expect(readFileSync(target).equals(content)).toBe(true);
    expect(Math.abs(statSync(target).mtimeMs - mtimeMs)).toBeLessThan(1);
    expect(readdirSync(path)).toEqual(['target']);
  });

  test('stays when work stops, and goes on', async () => {
    const { sink, target } = await setUp();
    await sink.write([content.subarray(0, half)], 0);
    await sink.close();
    const next = createDiskSink(sink.temporary, size);
    const back = Buffer.alloc(half);
    await next.read(back, half, 0);
    expect(back.equals(content.subarray(0, half))).toBe(true);
    await expect(next.read(back, half, half)).rejects.toMatchObject({ code: 'file_changed' });
    await next.write([content.subarray(half)], half);
    await next.commit(target, quick);
    expect(readFileSync(target).equals(content)).toBe(true);
  });

  test('of which nothing is there reads as too short, and reading makes nothing', async () => {
    const { sink, path } = await setUp();
    await expect(sink.read(Buffer.alloc(1), 1, 0)).rejects.toMatchObject({ code: 'file_changed' });
    expect(readdirSync(path)).toEqual([]);
  });

  test('is not committed while it is too short, and is cut where it is too long', async () => {
    const { sink, target } = await setUp();
    await sink.write([content.subarray(0, half)], 0);
    await expect(sink.commit(target, quick)).rejects.toMatchObject({ code: 'file_changed' });
    await sink.write([content.subarray(half), Buffer.from('left over')], half);
    await sink.commit(target, quick);
    expect(readFileSync(target).equals(content)).toBe(true);
  });

  test('never replaces what stands under its name, and keeps what it has', async () => {
    const { sink, target, path } = await setUp();
    writeFileSync(target, 'precious');
    await sink.write([content], 0);
    await expect(sink.commit(target, quick)).rejects.toMatchObject({ code: 'target_exists' });
    expect(readFileSync(target, 'utf8')).toBe('precious');
    await sink.commit(join(path, 'target (2)'), quick);
    expect(readdirSync(path).sort()).toEqual(['target', 'target (2)']);
  });

  test('does not follow a link planted under its temporary name, nor under its own', async () => {
    const { sink, target, path } = await setUp();
    writeFileSync(join(path, 'elsewhere'), 'precious');
    symlinkSync(join(path, 'elsewhere'), sink.temporary);
    await expect((async () => sink.write([content], 0))()).rejects.toMatchObject({ code: 'target_unwritable' });
    const other = createDiskSink(join(path, '.other'), size);
    await other.write([content], 0);
    symlinkSync(join(path, 'not there yet'), target);
    await expect(other.commit(target, quick)).rejects.toMatchObject({ code: 'target_exists' });
    expect(readFileSync(join(path, 'elsewhere'), 'utf8')).toBe('precious');
    expect(existsSync(join(path, 'not there yet'))).toBe(false);
  });

  test('ends a commit that a death interrupted between its two names', async () => {
    const { sink, target, path } = await setUp();
    await sink.write([content], 0);
    await sink.close();
    linkSync(sink.temporary, target);
    await createDiskSink(sink.temporary, size).commit(target, quick);
    expect(readdirSync(path)).toEqual(['target']);
  });

  test('is gone after it was discarded', async () => {
    const { sink, path } = await setUp();
    await sink.write([content], 0);
    await sink.discard();
    await sink.discard();
    expect(readdirSync(path)).toEqual([]);
  });

  test('whose folder is gone says so', async () => {
    const path = await folder();
    const sink = createDiskSink(join(path, 'missing', '.part'), size);
    await expect((async () => sink.write([content], 0))()).rejects.toMatchObject({
      code: 'target_unwritable',
      message: expect.stringContaining('missing'),
    });
  });
});

test('a full disk is told apart', async () => {
  // The one file that is always full, where there is one.
  if (!existsSync('/dev/full')) return;
  for (const size of [10, 3 * MiB]) {
    const sink = createDiskSink('/dev/full', size);
    await expect((async () => sink.write([Buffer.alloc(size)], 0))()).rejects.toMatchObject({ code: 'disk_full' });
    await sink.close();
  }
});

describe('whether a commit had got through', () => {
  test('goes by the target’s size and time, and the temporary file', async () => {
    const path = await folder();
    const [temporary, target] = [join(path, '.part'), join(path, 'target')];
    const facts = { size: 3, mtimeMs };
    expect(wasCommitted(temporary, target, facts)).toBe(false);
    const sink = createDiskSink(temporary, 3);
    await sink.write([Buffer.from('abc')], 0);
    await sink.commit(target, quick);
    expect(wasCommitted(temporary, target, facts)).toBe(true);
    expect(wasCommitted(temporary, target, { ...facts, size: 4 })).toBe(false);
    expect(wasCommitted(temporary, target, { ...facts, mtimeMs: mtimeMs + 5_000 })).toBe(false);
    linkSync(target, temporary);
    expect(wasCommitted(temporary, target, facts)).toBe(true);
    expect(readdirSync(path)).toEqual(['target']);
    writeFileSync(temporary, 'abc');
    expect(wasCommitted(temporary, target, facts)).toBe(false);
    mkdirSync(join(path, 'folder'));
    expect(wasCommitted(temporary, join(path, 'folder'), facts)).toBe(false);
  });
});

describe('descriptors', () => {
  test('write many buffers where they belong, and read until the file ends', async () => {
    const path = join(await folder(), 'file');
    const file = await nodeFileSystem.open(path, openFlags.readWriteOwnOrCreate, 0o600);
    endings.push(() => file.close());
    await writeFully(file, [Buffer.from('ab'), Buffer.from('cde'), Buffer.from('')], 3);
    await writeFully(file, [], 0);
    expect(readFileSync(path)).toEqual(Buffer.from('\0\0\0abcde'));
    const buffer = Buffer.alloc(10);
    expect(await readFully(file, buffer, 10, 4)).toBe(4);
    expect(buffer.subarray(0, 4).toString()).toBe('bcde');
    truncateSync(path, 2);
    expect(await readFully(file, buffer, 10, 4)).toBe(0);
  });
});

describe('a stamp', () => {
  test('is the same for the same file, whatever number its device has', () => {
    const stamp = { size: 1, mtimeMs: 2.5, inode: '64768:99' };
    expect(sameStamp(stamp, { ...stamp, inode: '42:99' })).toBe(true);
    expect(sameStamp(stamp, { ...stamp, inode: '64768:9' })).toBe(false);
    expect(sameStamp(stamp, { ...stamp, size: 2 })).toBe(false);
    expect(sameStamp(stamp, { ...stamp, mtimeMs: 2 })).toBe(false);
  });

  test('is taken from the file system’s own', async () => {
    const stats = statSync(await folder());
    expect(stampOf(stats)).toEqual({ size: stats.size, mtimeMs: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` });
  });
});

describe('a failed call on a file', () => {
  const failed = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code, syscall: 'open' });
  test.each([
    ['ENOENT', 'source_gone', 'target_unwritable'],
    ['ENOTDIR', 'source_gone', 'target_unwritable'],
    ['EACCES', 'source_unreadable', 'target_unwritable'],
    ['EIO', 'source_unreadable', 'target_unwritable'],
    ['ESTALE', 'source_unreadable', 'target_unwritable'],
    ['EROFS', 'source_unreadable', 'target_unwritable'],
    ['EEXIST', 'source_unreadable', 'target_exists'],
    ['ENOSPC', 'source_unreadable', 'disk_full'],
    ['EDQUOT', 'source_unreadable', 'disk_full'],
    ['EFBIG', 'source_unreadable', 'target_unwritable'],
  ])('%s', (code, source, target) => {
    const cause = failed(code);
    expect(sourceFailure('/a/b', cause)).toMatchObject({ code: source, cause, message: expect.stringContaining('/a/b') });
    expect(targetFailure('/a/b', cause)).toMatchObject({ code: target, cause, message: expect.stringContaining('/a/b') });
  });

  test('is left alone where it is not the system’s', () => {
    const ours = new Error('a fault of ours');
    expect(sourceFailure('/a', ours)).toBe(ours);
    expect(targetFailure('/a', ours)).toBe(ours);
  });
});
