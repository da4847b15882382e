import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { comparing } from '#storage/local/compare-while-sending.ts';
import { ComparedParts } from '#storage/local/compared-parts.ts';
import { ComparisonBudgets } from '#storage/local/comparison-budgets.ts';
import { partFile } from '#storage/local/layout.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

/** Whoever asks for a byte of each of many parts has them read no faster than decision 0116 says, and others do not wait for it. */

const mebi = 1024 * 1024;
const size = 3 * mebi;
const stranger = '203.0.113.1';
const visitor = '198.51.100.2';

let folder: TempFolder;
let part: ReturnType<typeof partFile>;
beforeAll(async () => {
  folder = await tempFolder();
  part = partFile(1, size, new Blake3Hasher().update(Buffer.alloc(size)).digest('hex'));
});
afterAll(() => folder.remove());
afterEach(() => vi.useRealTimers());

/** Paths of parts of three mebibytes each. */
function manyParts(count: number): string[] {
  const made = join(folder.path, crypto.randomUUID());
  return Array.from({ length: count }, (_, index) => {
    const path = join(made, String(index), part.file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '');
    truncateSync(path, size);
    return path;
  });
}

/** The parts that are read, in order, and a clock that stands until it is set. */
function comparedParts(most: number) {
  const read: string[] = [];
  const files: FileSystem = Object.assign(Object.create(nodeFileSystem) as FileSystem, {
    open: async (...[path, ...asked]: Parameters<FileSystem['open']>) => {
      read.push(path);
      return await nodeFileSystem.open(path, ...asked);
    },
  });
  const clock = { now: 0 };
  const parts = new ComparedParts(files, new ComparisonBudgets({ most, perSecond: mebi, now: () => clock.now }));
  const ask = (path: string, address: string, isGone = () => false) =>
    comparing(parts, path, { file: part.file, offset: 7, length: 1 }, { address, isGone });
  return { parts, read, clock, ask };
}

describe('a stranger who asks for a byte of each of many parts', () => {
  test('has as many read as its budget holds, and more with time; others have theirs meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { read, clock, ask } = comparedParts(4 * size);
    const paths = manyParts(12);
    const asked = paths.map((path) => ask(path, stranger));
    await Promise.all(asked.slice(0, 4));
    for (const path of manyParts(3)) await ask(path, visitor);
    await vi.advanceTimersByTimeAsync(5_000);
    const readOfTheirs = () => read.filter((path) => paths.includes(path));
    expect(readOfTheirs()).toEqual(paths.slice(0, 4));
    clock.now = 4_000;
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(asked.slice(4, 6));
    expect(readOfTheirs()).toEqual(paths.slice(0, 6));
    clock.now = 1_000_000;
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(asked.slice(6, 10));
    expect(readOfTheirs()).toEqual(paths.slice(0, 10));
  });

  test('has one place, so others do not wait for what it asked for before', async () => {
    const { read, ask } = comparedParts(1000 * size);
    const paths = manyParts(8);
    const [other] = manyParts(1);
    const asked = paths.map((path) => ask(path, stranger));
    await Promise.all([ask(other!, visitor), ...asked]);
    expect(read.indexOf(other!)).toBe(1);
    expect(read.filter((path) => path !== other)).toEqual(paths);
  });

  test('leaves, and is not waited for any more while its budget is spent', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { read, ask } = comparedParts(size);
    const [first, second, third] = manyParts(3) as [string, string, string];
    await ask(first, stranger);
    let isGone = false;
    const left = ask(second, stranger, () => isGone);
    const stays = ask(third, stranger);
    stays.catch(() => undefined);
    const joined = ask(third, visitor);
    await joined;
    await stays;
    isGone = true;
    const told = expect(left).rejects.toMatchObject({ name: 'ReceiverGone' });
    await vi.advanceTimersByTimeAsync(1_000);
    await told;
    expect(read).toEqual([first, third]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('what an address takes is read for it again', async () => {
  const { parts, read, ask } = comparedParts(2 * size);
  const paths = manyParts(6);
  for (const path of paths) {
    await ask(path, visitor);
    parts.took(visitor, size);
  }
  expect(read).toEqual(paths);
});

test('an address that is unknown is many, and none of them waits for a budget', async () => {
  const { read, ask } = comparedParts(size);
  const paths = manyParts(4);
  await Promise.all(paths.map((path) => ask(path, '')));
  expect(read).toEqual(paths);
});
