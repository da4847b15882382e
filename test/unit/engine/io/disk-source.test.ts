import { mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDiskSource } from '#engine/io/disk-source.ts';
import { stampOf } from '#engine/io/file-stamp.ts';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import { isOnLocalDisk } from '#filesystem/local-disk.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { OpenFile } from '#filesystem/port.ts';
import { systemError } from '#filesystem/system-error.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const local = await (async () => {
  const { path, remove } = await tempFolder();
  const found = await isOnLocalDisk(path);
  await remove();
  return found;
})();

describe('a local disk', () => {
  test.runIf(process.platform === 'linux')('is none that the kernel or a program makes up', async () => {
    expect(await isOnLocalDisk('/proc/self/stat')).toBe(false);
    expect(await isOnLocalDisk('/sys')).toBe(false);
  });

  test('is not known of on other systems, nor where nothing is', async () => {
    const { path, remove } = await tempFolder();
    expect(await isOnLocalDisk(path, 'win32')).toBe(false);
    expect(await isOnLocalDisk(path, 'darwin')).toBe(false);
    await remove();
    expect(await isOnLocalDisk(path)).toBe(false);
  });
});

describe.runIf(local)('reading at once', () => {
  /** `take` is how long each read takes, `fetch` how many blocks it fetches. */
  async function setUp() {
    const { path: folder, remove } = await tempFolder();
    const path = join(folder, 'source');
    writeFileSync(path, Buffer.alloc(100_000, 'abc'));
    const state = { now: 0, blocks: 0, take: 0, fetch: 0 };
    let asked = 0;
    const source = createDiskSource(path, stampOf(statSync(path)), {
      fast: true,
      watch: {
        // It is asked before and after a read.
        clock: () => {
          if (asked++ % 2 === 1) state.now += state.take;
          return state.now;
        },
        blocksRead: () => {
          state.blocks += state.fetch;
          return state.blocks;
        },
      },
    });
    endings.push(remove, source.close);
    const buffer = Buffer.alloc(1_000);
    const read = (position = 0): boolean => {
      asked = 0;
      return source.readNow(buffer, 1_000, position);
    };
    return { path, source, buffer, state, read };
  }

  test('begins with the first check and ends with closing', async () => {
    const { source, buffer, read } = await setUp();
    expect(read()).toBe(false);
    await source.check();
    expect(read(3)).toBe(true);
    expect(buffer.toString('latin1', 0, 6)).toBe('abcabc');
    await source.close();
    expect(read()).toBe(false);
  });

  test('of a file that ends early says that it has changed', async () => {
    const { source, path, read } = await setUp();
    await source.check();
    truncateSync(path, 500);
    expect(() => read()).toThrow(expect.objectContaining({ code: 'file_changed' }));
  });

  test.each([
    ['quick, from the disk', 1, 8, true],
    ['slow, though nothing came from a disk', 50, 0, true],
    ['slow, from the disk', 50, 8, false],
    ['very slow', 500, 0, false],
  ])('goes on after a read that was %s: %j ms, %i blocks, %j', async (_, take, fetch, goesOn) => {
    const { source, state, read } = await setUp();
    await source.check();
    expect(read()).toBe(true);
    Object.assign(state, { take, fetch });
    expect(read()).toBe(true);
    Object.assign(state, { take: 0, fetch: 0 });
    expect(read()).toBe(goesOn);
    state.now += 999;
    expect(read()).toBe(goesOn);
    state.now += 1;
    expect(read()).toBe(true);
  });
});

test('a drive that goes while a file is open is no fault of closing it', async () => {
  const { path: folder, remove } = await tempFolder();
  endings.push(remove);
  const path = join(folder, 'source');
  writeFileSync(path, 'small');
  const gone = systemError('ENOTCONN', 'close', path);
  const leaving = (file: OpenFile): OpenFile =>
    Object.assign(Object.create(file) as OpenFile, {
      async close() {
        await file.close();
        throw gone;
      },
      closeNow() {
        file.closeNow();
        throw gone;
      },
    });
  const source = createDiskSource(path, stampOf(statSync(path)), {
    fast: true,
    fileSystem: {
      ...nodeFileSystem,
      open: async (...given) => leaving(await nodeFileSystem.open(...given)),
      openNow: (...given) => leaving(nodeFileSystem.openNow(...given)),
    },
  });
  expect(String(await source.readSmall({ offset: 0, length: 5 }))).toBe('small');
  await source.check();
  await source.close();
});

test('a drive that went and came back is read again, by a handle of its own, and no handle is left', async () => {
  const { path: folder, remove } = await tempFolder();
  endings.push(remove);
  const drive = join(folder, 'drive');
  const mountPoint = join(folder, 'mount-point');
  mkdirSync(drive);
  mkdirSync(mountPoint);
  const path = join(drive, 'source');
  writeFileSync(path, 'of a drive');
  const fileSystem = new BreakingFileSystem();
  const source = createDiskSource(path, stampOf(statSync(path)), { fileSystem });
  const buffer = Buffer.alloc(10);
  const read = () => source.read(buffer, 10, 0);
  await read();
  fileSystem.unmount(drive, mountPoint);
  fileSystem.comeBack(drive);
  const both = await Promise.allSettled([read(), source.check()]);
  expect(both).toMatchObject([0, 1].map(() => ({ status: 'rejected', reason: { code: 'source_unreadable' } })));
  await read();
  await source.check();
  expect(buffer.toString()).toBe('of a drive');
  await source.close();
  expect(fileSystem.openFiles).toEqual([]);
});

test('a file is closed once nobody reads it', async () => {
  const { path: folder, remove } = await tempFolder();
  endings.push(remove);
  const path = join(folder, 'source');
  writeFileSync(path, 'slow disk');
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  const calls: string[] = [];
  const slow = (file: OpenFile): OpenFile =>
    Object.assign(Object.create(file) as OpenFile, {
      async read(...given: Parameters<OpenFile['read']>) {
        calls.push('read');
        await held;
        return await file.read(...given);
      },
      async close() {
        calls.push('closed');
        await file.close();
      },
    });
  const source = createDiskSource(path, stampOf(statSync(path)), {
    fileSystem: { ...nodeFileSystem, open: async (...given) => slow(await nodeFileSystem.open(...given)) },
  });
  const buffer = Buffer.alloc(9);
  const reading = source.read(buffer, 9, 0);
  await vi.waitFor(() => expect(calls).toEqual(['read']));
  await source.close();
  expect(calls).toEqual(['read']);
  goOn();
  await reading;
  expect(buffer.toString()).toBe('slow disk');
  expect(calls).toEqual(['read', 'closed']);
});
