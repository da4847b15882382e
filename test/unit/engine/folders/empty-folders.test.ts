import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { firstMissing, removeEmptyFolders } from '#engine/folders/empty-folders.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { systemError } from '#filesystem/system-error.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let own: Awaited<ReturnType<typeof diskFolder>>;
let root: string;
beforeEach(async () => {
  own = await diskFolder();
  root = realpathSync(own.path);
});
afterEach(() => own.remove());

const makeAll = (path: string): void => void mkdirSync(join(root, path), { recursive: true });
const remove = (from: string, last: string): void => removeEmptyFolders(join(root, from), join(root, last), nodeFileSystem);

test('the first folder that is missing is the uppermost one', () => {
  makeAll('a');
  expect(firstMissing(join(root, 'a/b/c'), nodeFileSystem)).toBe(join(root, 'a/b'));
  expect(firstMissing(join(root, 'a'), nodeFileSystem)).toBeNull();
});

test('empty folders go up to the last one that was named, and no further', () => {
  makeAll('a/b/c');
  remove('a/b/c', 'a/b');
  expect(readdirSync(join(root, 'a'))).toEqual([]);
});

test('a folder that never was is no obstacle, one that holds something is', () => {
  makeAll('a/b');
  writeFileSync(join(root, 'a/file'), '');
  remove('a/b/c/d', 'a');
  expect(readdirSync(join(root, 'a'))).toEqual(['file']);
});

test('nothing is removed behind a link', () => {
  makeAll('outside/b');
  makeAll('a');
  symlinkSync(join(root, 'outside'), join(root, 'a/link'));
  remove('a/link/b', 'a');
  expect(existsSync(join(root, 'outside/b'))).toBe(true);
});

test('what the disk says otherwise is told', () => {
  const away = {
    ...nodeFileSystem,
    rmdir: (path: string) => {
      throw systemError('ENOTCONN', 'rmdir', path);
    },
  };
  expect(() => removeEmptyFolders(join(root, 'a'), join(root, 'a'), away)).toThrow('ENOTCONN');
});
