import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { markedFileSystem } from '#engine/gateway/mount-process/marked-file-system.ts';
import { markRoot } from '#engine/gateway/mount-process/marker-file.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let own: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  own = await tempFolder();
});
afterEach(() => own.remove());

test('no folder is made or removed below a root whose marker is away, and every other one is', async () => {
  const root = join(own.path, 'nas');
  mkdirSync(root);
  const mount = { mountId: 'm', root, readOnly: false, marked: true };
  await markRoot(mount, nodeFileSystem);
  const disks = markedFileSystem(mount, nodeFileSystem);
  disks.mkdir(join(root, 'In'));
  expect(existsSync(join(root, 'In'))).toBe(true);
  // A drive that is unmounted leaves its empty folder.
  renameSync(root, `${root}-away`);
  mkdirSync(root);
  expect(() => disks.mkdir(join(root, 'In'))).toThrow('ENOENT');
  expect(readdirSync(root)).toEqual([]);
  // Not as one that is not there: the drive still has it.
  expect(() => disks.rmdir(join(root, 'In'))).toThrow('ENOTCONN');
  disks.mkdir(join(own.path, 'state'));
  expect(existsSync(join(own.path, 'state'))).toBe(true);
  disks.rmdir(join(own.path, 'state'));
  expect(existsSync(join(own.path, 'state'))).toBe(false);
});
