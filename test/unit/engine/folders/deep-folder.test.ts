import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, realpathSync, rmdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDeepFolder } from '#engine/folders/deep-folder.ts';
import { createSafeRoot } from '#engine/folders/safe-root.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
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

/** Counts the folders that the system passes by the paths it is given: it walks a whole path anew for each call. */
function countingLevels(): { readonly fileSystem: FileSystem; readonly passed: () => number } {
  let passed = 0;
  const fileSystem = new Proxy(nodeFileSystem, {
    get(target, name: keyof FileSystem) {
      const call = target[name] as (...given: unknown[]) => unknown;
      return (path: string, ...more: unknown[]) => {
        passed += path.split('/').length - 1;
        return call.call(target, path, ...more);
      };
    },
  });
  return { fileSystem, passed: () => passed };
}

test.runIf(process.platform === 'linux')('1,900 folders within each other are made from within, and found again', () => {
  const { fileSystem, passed } = countingLevels();
  const safeRoot = createSafeRoot(root, null, fileSystem);
  for (let depth = 1; depth <= parts.length; depth += 100) safeRoot.folder(parts.slice(0, depth).join('/'));
  for (let again = 0; again < 20; again++) safeRoot.folder(parts.slice(0, 1_801).join('/'));
  expect(lstatSync(join(root, ...parts.slice(0, 1_801))).isDirectory()).toBe(true);
  // Level by level from the root it is 45 million.
  expect(passed()).toBeLessThan(1_000_000);
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
