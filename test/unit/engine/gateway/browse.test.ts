import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { browse } from '#engine/gateway/mount-process/browse.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A folder of a mount is listed by what was opened, not by its name. */

let own: Awaited<ReturnType<typeof tempFolder>>;
let root: string;
beforeEach(async () => {
  own = await tempFolder();
  root = join(own.path, 'nas');
  writeTree(root, { 'In/own.txt': 'own', '.longshore-mount': 'm', '.longshore-abc-1.part': 'half' });
  writeTree(join(own.path, 'outside'), { 'secret.txt': 'secret' });
});
afterEach(() => own.remove());

const page = { prefix: 'In', prevKey: '', count: 10 };
const namesIn = async (fileSystem: FileSystem, prefix = 'In'): Promise<string[]> =>
  (await browse(root, { ...page, prefix }, fileSystem)).items.map(({ name }) => name);

/** Puts a link that leads out in the folder's place, at the moment that is chosen. */
function exchanged(): void {
  renameSync(join(root, 'In'), join(root, 'Was'));
  symlinkSync(join(own.path, 'outside'), join(root, 'In'));
}

test('the marker and what is half there are not shown', async () => {
  expect(await namesIn(nodeFileSystem, '')).toEqual(['In']);
  expect(await namesIn(nodeFileSystem)).toEqual(['own.txt']);
});

test('a folder that becomes a link to the outside after its path was checked is not listed', async () => {
  let done = false;
  const disks: FileSystem = {
    ...nodeFileSystem,
    openNow(path, flags, mode) {
      if (!done && path.endsWith('In')) {
        done = true;
        exchanged();
      }
      return nodeFileSystem.openNow(path, flags, mode);
    },
  };
  await expect(namesIn(disks)).rejects.toMatchObject({ error: expect.stringMatching(/^path_(outside|unreadable)$/) });
  expect(done).toBe(true);
});

test('one above it that does so is found by where the opened folder is', async () => {
  mkdirSync(join(root, 'In/Day'));
  mkdirSync(join(own.path, 'outside/Day'));
  let done = false;
  const disks: FileSystem = {
    ...nodeFileSystem,
    openNow(path, flags, mode) {
      if (!done && path.endsWith('Day')) {
        done = true;
        exchanged();
      }
      return nodeFileSystem.openNow(path, flags, mode);
    },
  };
  await expect(namesIn(disks, 'In/Day')).rejects.toMatchObject({ error: 'path_outside' });
  expect(done).toBe(true);
});

test.skipIf(process.platform !== 'linux')('one that is exchanged after it was opened is listed as it was', async () => {
  const disks: FileSystem = {
    ...nodeFileSystem,
    async openDirectory(path, batch) {
      exchanged();
      return nodeFileSystem.openDirectory(path, batch);
    },
  };
  expect(await namesIn(disks)).toEqual(['own.txt']);
});

test('links are shown as what they lead to inside, and not where they lead out or nowhere', async () => {
  symlinkSync(join(root, 'In'), join(root, 'inside'));
  symlinkSync(join(own.path, 'outside'), join(root, 'out'));
  symlinkSync(join(own.path, 'outside/secret.txt'), join(root, 'out.txt'));
  symlinkSync('nowhere', join(root, 'broken'));
  expect(await namesIn(nodeFileSystem, '')).toEqual(['In', 'inside']);
  await expect(namesIn(nodeFileSystem, 'out')).rejects.toMatchObject({ error: 'path_outside' });
});
