import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { diskError } from './disk-errors.ts';
import { folders, parsePartFile, shardOfUploadName, shards } from './layout.ts';

/**
 * Makes the storage's folders where they are missing, and heals what a crash left: an upload that was
 * being completed goes back to where its parts can be seen and sent, parts that were being received go,
 * and what was being deleted is. One process owns the folder, and calls this before it serves anything.
 */
export async function prepareFolders(root: string, disk: Disk): Promise<void> {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    for (const name of [folders.completing, folders.trash]) mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    for (const name of [folders.uploads, folders.objects]) {
      for (const shard of shards) mkdirSync(join(root, name, shard), { recursive: true, mode: 0o700 });
      await disk.syncFolder(join(root, name));
    }
    await disk.syncFolder(root);
    for (const name of disk.list(join(root, folders.completing))) {
      disk.rename(join(root, folders.completing, name), join(root, folders.uploads, shardOfUploadName(name), name));
    }
    for (const shard of shards) {
      const folder = join(root, folders.uploads, shard);
      for (const name of disk.list(folder)) removeTornParts(join(folder, name), disk);
    }
    for (const name of disk.list(join(root, folders.trash))) await disk.removeTree(join(root, folders.trash, name));
  } catch (error) {
    throw diskError(error);
  }
}

/**
 * Besides what a killed process had not received whole: after a loss of power a part can have its name
 * and not its bytes, since parts are flushed only when their upload completes. File systems give such a
 * file too small a size, never other bytes.
 */
function removeTornParts(upload: string, disk: Disk): void {
  for (const name of disk.list(upload)) {
    const path = join(upload, name);
    if (parsePartFile(name)?.size !== disk.sizeOf(path)) disk.remove(path);
  }
}
