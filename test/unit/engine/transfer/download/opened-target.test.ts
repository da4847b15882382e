import { mkdirSync, readdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSafeRoot } from '#engine/folders/safe-root.ts';
import { createDiskSink } from '#engine/io/disk-sink.ts';
import { checkOpened } from '#engine/transfer/download/opened-target.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

let folder: TempFolder;
let root: string;
let outside: string;
beforeEach(async () => {
  folder = await tempFolder();
  root = join(realpathSync(folder.path), 'received');
  outside = join(realpathSync(folder.path), 'outside');
  for (const path of [root, outside]) mkdirSync(path);
});
afterEach(() => folder.remove());

const without = (system: FileSystem): FileSystem => ({
  ...system,
  readLink: () => {
    throw Object.assign(new Error('no /proc'), { code: 'ENOENT' });
  },
});

for (const [where, fileSystem] of [
  ['by its descriptor', nodeFileSystem],
  ['where the system does not tell, by its name', without(nodeFileSystem)],
] as const) {
  for (const [what, size] of [
    ['small', 10],
    ['large', 1_000_000],
  ] as const) {
    it(`a ${what} file is looked for ${where}: a folder that was exchanged for a link gets none of its bytes`, async () => {
      const safe = createSafeRoot(root, null, fileSystem);
      const receive = async (exchange: () => void) => {
        const temporary = join(safe.folder('reel'), '.part');
        const sink = createDiskSink(temporary, size, { fileSystem, opened: checkOpened(safe, temporary, null, fileSystem) });
        exchange();
        try {
          await sink.write([Buffer.alloc(size, 7)], 0);
        } finally {
          await sink.close();
        }
      };
      const exchanged = receive(() => {
        renameSync(join(root, 'reel'), join(root, 'away'));
        symlinkSync(outside, join(root, 'reel'));
      });
      await expect(exchanged).rejects.toMatchObject({ message: expect.stringContaining('leads out of') });
      expect(readdirSync(join(root, 'away'))).toEqual([]);
      if (fileSystem === nodeFileSystem) expect(readdirSync(outside)).toEqual([]);
    });
  }

  it(`a file in the root, or in a folder that stayed, is written; ${where}`, async () => {
    const safe = createSafeRoot(root, null, fileSystem);
    for (const path of ['', 'reel', 'reel/a']) {
      const temporary = join(safe.folder(path), '.part');
      const sink = createDiskSink(temporary, 3, { fileSystem, opened: checkOpened(safe, temporary, null, fileSystem) });
      await sink.write([Buffer.from('abc')], 0);
      await sink.close();
      expect(readdirSync(join(root, path))).toContain('.part');
    }
  });
}
