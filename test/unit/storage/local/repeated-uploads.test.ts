import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hexOf } from '#storage/digests.ts';
import { createDisk } from '#storage/local/disk.ts';
import { prepareFolders } from '#storage/local/folders.ts';
import { layoutOf, partFile } from '#storage/local/layout.ts';
import { LocalUploads } from '#storage/local/uploads.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

test.each(['one by one', 'together'] as const)(
  'uploads that are begun twice, as answers were lost, are gone when completed %s',
  async (how) => {
    const root = await tempFolder();
    try {
      const disk = createDisk();
      await prepareFolders(root.path, disk);
      const uploads = new LocalUploads(layoutOf(root.path), disk);
      const bytes = Buffer.from('all of it');
      const part = partFile(1, bytes.length, hexOf(bytes));
      const named = [{ partNumber: 1, etag: part.etag, size: part.size }];
      const asked = await Promise.all(
        ['package/first', 'package/second'].map(async (key) => {
          uploads.create(key);
          const { uploadId, folder } = uploads.begin(key);
          await writeFile(join(folder, part.file), bytes);
          return { key, uploadId, parts: named };
        }),
      );
      // It goes on: nobody has completed it.
      const { folder: other } = uploads.begin('package/third');
      if (how === 'together') await uploads.completeAll(asked);
      else for (const one of asked) await uploads.complete(one.key, one.uploadId, one.parts);
      const left = await readdir(join(root.path, 'uploads'), { recursive: true });
      expect(left.filter((name) => name.includes('@')).map((name) => join(root.path, 'uploads', name))).toEqual([other]);
    } finally {
      await root.remove();
    }
  },
);
