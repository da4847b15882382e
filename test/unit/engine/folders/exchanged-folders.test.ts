import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scanFolder } from '#engine/automations/uploads/scan-folder.ts';
import { walk } from '#engine/folders/scan.ts';
import type { NewFile } from '#engine/transfer/record.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** Somebody who may write in a folder exchanges one of its folders for a link, in the moment between the look at it and its list. */

let own: Awaited<ReturnType<typeof diskFolder>>;
let root: string;
beforeEach(async () => {
  own = await diskFolder();
  root = join(own.path, 'hot');
  writeTree(own.path, { 'hot/a.txt': 'a', 'hot/in/d/b.txt': 'b', 'outside/secret.txt': 'secret', 'outside/d/secret.txt': 'secret' });
});
afterEach(() => own.remove());

const { signal } = new AbortController();

/** After so many looks at the folder `name` it becomes a link to one outside. */
function exchanging(name: string, target: string, looks = 1): FileSystem {
  let left = looks;
  return {
    ...nodeFileSystem,
    lstatNow(path) {
      const found = nodeFileSystem.lstatNow(path);
      if (path.endsWith(`/${name}`) && found?.isDirectory() && --left === 0) {
        mkdirSync(join(own.path, 'away'));
        const folder = join(root, name === 'd' ? 'in/d' : name);
        renameSync(folder, join(own.path, 'away', name));
        symlinkSync(join(own.path, target), folder);
      }
      return found;
    },
  };
}

const exchanges = [
  ['in', 'outside'],
  ['d', 'outside'],
  ['in', 'outside/d'],
] as const;

it.skipIf(process.platform !== 'linux').each(exchanges)(
  'a watched folder: nothing is found behind the link in place of %s to %s',
  async (name, target) => {
    const { files, troubles } = await scanFolder(root, { recursive: true, guard: null, fileSystem: exchanging(name, target), signal });
    expect(files.map(({ path }) => path)).toEqual(['a.txt']);
    expect(troubles).toMatchObject([{ reason: expect.stringContaining('another one has come in its place') }]);
  },
);

it.skipIf(process.platform !== 'linux').each(exchanges)(
  'an upload: nothing is found behind the link in place of %s to %s',
  async (name, target) => {
    const found: NewFile[] = [];
    // The first look only tells files from folders.
    const fileSystem = exchanging(name, target, 2);
    for await (const entry of walk({ local: root, folder: '', name: 'hot', signal, fileSystem })) found.push(entry);
    expect(found.filter(({ kind, state }) => kind === 'file' && !state).map(({ name }) => name)).toEqual(['a.txt']);
    expect(found.filter(({ state }) => state === 'error')).toHaveLength(1);
  },
);
