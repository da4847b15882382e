import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openFlags } from '#filesystem/flags.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { BackgroundFlush } from '#storage/local/background-flush.ts';
import { BlockWriter, blockSize } from '#storage/local/block-writer.ts';
import { BufferPool } from '#storage/local/buffer-pool.ts';
import { corsHeaders } from '#storage/local/cors.ts';
import { layoutOf, parsePartFile, partFile, partFiles, shardOfUploadName } from '#storage/local/layout.ts';
import { ReceivedParts } from '#storage/local/received-parts.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const hex = 'ab'.repeat(32);

describe('layout', () => {
  test('a part’s name says all about it', () => {
    const part = partFile(7, 1234, hex);
    expect(part).toEqual({ partNumber: 7, size: 1234, hex, etag: `b3-${hex}`, file: `00007.1234.${hex}` });
    expect(parsePartFile(part.file)).toEqual(part);
  });

  test.each(['.00007', '00007', `7.1.${hex}`, `00007.1.${hex}x`, `00007.-1.${hex}`])('%s is no part', (name) => {
    expect(parsePartFile(name)).toBeNull();
  });

  test('parts are in order of their numbers', () => {
    const names = [partFile(10_000, 1, hex).file, partFile(2, 1, hex).file, 'x', partFile(9_999, 1, hex).file];
    expect(partFiles(names).map((part) => part.partNumber)).toEqual([2, 9_999, 10_000]);
  });

  test('an upload’s shard follows from its name', () => {
    const layout = layoutOf('/r');
    const path = layout.upload('a/b', '1'.repeat(32));
    const [shard, name] = path.split('/').slice(-2) as [string, string];
    expect(shardOfUploadName(name)).toBe(shard);
    expect(layout.uploadsOf('a/b').folder.endsWith(`/${shard}`)).toBe(true);
    expect(name.startsWith(layout.uploadsOf('a/b').prefix)).toBe(true);
    expect(name.startsWith(layout.uploadsOf('a/bb').prefix)).toBe(false);
  });
});

describe('BlockWriter', () => {
  test('writes every byte in order, and pauses the source while too much is buffered', async () => {
    const { path, remove } = await tempFolder();
    const file = nodeFileSystem.openNow(join(path, 'out'), openFlags.create, 0o600);
    const flow: string[] = [];
    const writer = new BlockWriter(file, { pause: () => flow.push('pause'), resume: () => flow.push('resume') });
    const pieces = Array.from({ length: 100 }, (_, index) => Buffer.alloc(65_537, index));
    for (const piece of pieces) writer.add(piece);
    await writer.finish();
    file.closeNow();
    expect(readFileSync(join(path, 'out')).equals(Buffer.concat(pieces))).toBe(true);
    // More than three megabytes came at once: two are being written, the third waits.
    expect(flow).toEqual(['pause', 'resume']);
    expect(100 * 65_537).toBeGreaterThan(3 * blockSize);
    await remove();
  });

  test('reports the first failure and is idle after it', async () => {
    const { path, remove } = await tempFolder();
    writeFileSync(join(path, 'in'), 'x');
    const readOnly = nodeFileSystem.openNow(join(path, 'in'), openFlags.read);
    const writer = new BlockWriter(readOnly, { pause: () => {}, resume: () => {} });
    writer.add(Buffer.alloc(blockSize));
    await expect(writer.failed).rejects.toMatchObject({ code: 'EBADF' });
    writer.add(Buffer.alloc(blockSize));
    await expect(writer.finish()).rejects.toMatchObject({ code: 'EBADF' });
    await writer.idle();
    readOnly.closeNow();
    await remove();
  });
});

describe('ReceivedParts', () => {
  test('recognizes a part that is sent again, also after the upload was evicted', async () => {
    const { path, remove } = await tempFolder();
    const folder = join(path, 'upload');
    await mkdir(folder);
    const received = new ReceivedParts();
    received.begin(folder);
    expect([1, 2, 10_000, 1].map((number) => received.mark(folder, number))).toEqual([false, false, false, true]);
    writeFileSync(join(folder, partFile(3, 1, hex).file), 'x');
    const restarted = new ReceivedParts();
    expect([1, 3, 4, 4].map((number) => restarted.mark(folder, number))).toEqual([false, true, false, true]);
    expect(() => restarted.mark(join(path, 'gone'), 1)).toThrow('ENOENT');
    // That the upload was begun may be heard after its first part has come.
    restarted.begin(folder);
    expect(restarted.mark(folder, 3)).toBe(true);
    await remove();
  });
});

describe('BackgroundFlush', () => {
  test('flushes one file at a time, deletes those that failed, and skips missing ones', async () => {
    const steps: string[] = [];
    const troubles: string[] = [];
    let atOnce = 0;
    const flush = new BackgroundFlush(
      {
        async syncFile(path) {
          atOnce += 1;
          expect(atOnce).toBe(1);
          await nextTurn();
          atOnce -= 1;
          steps.push(`flush ${path}`);
          if (path === 'bad') throw Object.assign(new Error('no'), { code: 'EIO' });
          if (path === 'gone') throw Object.assign(new Error('no'), { code: 'ENOENT' });
        },
        remove: (path) => void steps.push(`remove ${path}`),
      },
      (error) => troubles.push(error.message),
    );
    for (const path of ['a', 'bad', 'gone', 'b']) flush.add(path);
    while (!steps.includes('flush b')) await nextTurn();
    expect(steps).toEqual(['flush a', 'flush bad', 'remove bad', 'flush gone', 'flush b']);
    expect(troubles).toEqual(['no']);
  });
});

describe('small things', () => {
  test('BufferPool reuses buffers, and keeps a limited number', () => {
    const pool = new BufferPool(8, 1);
    const [one, two] = [pool.take(), pool.take()];
    pool.give(one);
    pool.give(two);
    expect(pool.take()).toBe(one);
    expect(pool.take()).not.toBe(two);
  });

  test.each([
    ['any', 'https://a.example', '*'],
    ['any', undefined, undefined],
    [['https://a.example'], 'https://a.example', 'https://a.example'],
    [['https://a.example'], 'https://b.example', undefined],
  ] as const)('CORS of %s for %s', (rule, origin, allowed) => {
    expect(corsHeaders(rule, origin).get('Access-Control-Allow-Origin')).toBe(allowed);
  });

  test.each([
    ['any', 'https://a.example'],
    [['https://a.example'], 'https://a.example'],
  ] as const)('CORS of %s lets %s read what a page needs of an answer', (rule, origin) => {
    const exposed = corsHeaders(rule, origin).get('Access-Control-Expose-Headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['ETag', 'Content-Range', 'Retry-After']));
  });
});
