import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, realpathSync, rmdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDeepFolder } from '#engine/folders/deep-folder.ts';
import { createSafeRoot } from '#engine/folders/safe-root.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof diskFolder>>;
let root: string;
beforeEach(async () => {
  folder = await diskFolder();
  root = join(realpathSync(folder.path), 'r');
  mkdirSync(root);
});
afterEach(async () => {
  // Node goes to each of the depths by its whole path, which takes minutes on a busy machine.
  if (process.platform === 'linux') execFileSync('rm', ['-rf', root]);
  await folder.remove();
});

const parts = Array.from({ length: 1_900 }, () => 'd');

test.runIf(process.platform === 'linux')('1,900 folders within each other are made from within, and found again', () => {
  const safeRoot = createSafeRoot(root);
  const began = process.cpuUsage();
  for (let depth = 1; depth <= parts.length; depth += 100) safeRoot.folder(parts.slice(0, depth).join('/'));
  for (let again = 0; again < 20; again++) safeRoot.folder(parts.slice(0, 1_801).join('/'));
  const { user, system } = process.cpuUsage(began);
  expect(lstatSync(join(root, ...parts.slice(0, 1_801))).isDirectory()).toBe(true);
  // CPU; level by level from the root it is many times as much.
  expect((user + system) / 1e6).toBeLessThan(2);
});

test.runIf(process.platform === 'linux')('a link on the way is not followed', () => {
  mkdirSync(join(folder.path, 'elsewhere'));
  const safeRoot = createSafeRoot(root);
  const path = parts.slice(0, 40).join('/');
  safeRoot.folder(path);
  const link = join(root, ...parts.slice(0, 40));
  rmdirSync(link);
  symlinkSync(join(folder.path, 'elsewhere'), link);
  for (const name of [path, `${path}/d`, `${path}/d/d`]) {
    expect(makeDeepFolder(root, name.split('/'))).toBeNull();
    expect(() => safeRoot.folder(name)).toThrow('is a symbolic link');
  }
});

test('elsewhere the usual way does it', () => {
  expect(makeDeepFolder(root, parts, undefined, 'darwin')).toBeNull();
});
