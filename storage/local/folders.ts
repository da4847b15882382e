import { join } from 'node:path';
import { objectDamaged, StorageError } from '../errors.ts';
import { type Disk, randomName } from './disk.ts';
import { diskError, isAbsent } from './disk-errors.ts';
import { damagedMark, folders, type Layout, type PartFile, parsePartFile, partFiles, shardOfUploadName, shards } from './layout.ts';

/**
 * What other processes may be working on, at a start beside them: what was changed since then is left alone. By itself a
 * process leaves nothing.
 */
export type InUseSince = number | null;

export const isInUse = (disk: Pick<Disk, 'changedAt'>, path: string, since: InUseSince): boolean => {
  if (since === null) return false;
  try {
    return disk.changedAt(path) >= since;
  } catch (error) {
    // It has just been moved on.
    if (isAbsent(error)) return true;
    throw error;
  }
};

/**
 * Makes missing folders of the storage and recovers from a crash: an upload that was being completed is moved back, so
 * that its parts can be listed and sent; partly received parts and the contents of the trash are deleted. One process
 * serves the folder, and calls this before it serves requests. `since`, in milliseconds since 1970: others work in it.
 */
export async function prepareFolders(root: string, disk: Disk, since: InUseSince = null): Promise<void> {
  try {
    disk.makeFolders(root);
    for (const name of [folders.completing, folders.trash]) disk.makeFolders(join(root, name));
    for (const name of [folders.uploads, folders.objects]) {
      for (const shard of shards) disk.makeFolders(join(root, name, shard));
      await disk.syncFolder(join(root, name));
    }
    await disk.syncFolder(root);
    for (const name of disk.list(join(root, folders.completing))) {
      const path = join(root, folders.completing, name);
      if (isInUse(disk, path, since)) removeTornParts(path, disk, since);
      else disk.rename(path, join(root, folders.uploads, shardOfUploadName(name), name));
    }
    for (const shard of shards) {
      const folder = join(root, folders.uploads, shard);
      for (const name of disk.list(folder)) removeTornParts(join(folder, name), disk, since);
    }
    for (const name of disk.list(join(root, folders.trash))) {
      const path = join(root, folders.trash, name);
      if (!isInUse(disk, path, since)) await disk.removeTree(path);
    }
  } catch (error) {
    throw diskError(error);
  }
}

/**
 * Deletes damaged parts, besides the partly received ones of a killed process: after a power failure a part can have
 * its name but not its bytes, since parts are flushed only when their upload completes. File systems then leave such a
 * file too short, but never with wrong bytes.
 */
function removeTornParts(upload: string, disk: Disk, since: InUseSince): void {
  for (const name of namesIn(upload, disk)) {
    const path = join(upload, name);
    const part = parsePartFile(name);
    // A part has its name once all of it is written.
    if (part ? part.size !== sizeOr(disk, path, part.size) : !isInUse(disk, path, since)) disk.remove(path);
  }
}

/** None where another process has just moved the upload on. */
function namesIn(upload: string, disk: Disk): readonly string[] {
  try {
    return disk.list(upload);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function sizeOr(disk: Disk, path: string, size: number): number {
  try {
    return disk.sizeOf(path);
  } catch (error) {
    if (isAbsent(error)) return size;
    throw error;
  }
}

/** The part files in a folder, or `null` if there is no such folder. */
export function partsIn(folder: string, disk: Disk): PartFile[] | null {
  try {
    return partFiles(disk.list(folder));
  } catch (error) {
    if (isAbsent(error)) return null;
    throw diskError(error);
  }
}

/** The parts of an object, or `null` if there is no such object. `object_damaged` for one that is marked so. */
export function objectPartsIn(folder: string, disk: Disk): PartFile[] | null {
  try {
    const names = disk.list(folder);
    if (names.includes(damagedMark)) throw objectDamaged();
    return partFiles(names);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error instanceof StorageError ? error : diskError(error);
  }
}

/** Moves the folder to the trash by one rename, so that a crash cannot leave half of it; then deletes it. */
export async function discard(folder: string, layout: Layout, disk: Disk): Promise<void> {
  const trash = layout.trash(randomName());
  try {
    disk.rename(folder, trash);
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  await disk.removeTree(trash);
}
