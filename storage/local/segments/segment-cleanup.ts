import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { StorageError } from '../../errors.ts';
import { isSegment, uploadGroupOf } from '../../keys.ts';
import type { Disk } from '../disk.ts';
import { diskError, isAbsent } from '../disk-errors.ts';
import { discard, type InUseSince, isInUse } from '../folders.ts';
import { folders, type Layout, segmentFolders, shards } from '../layout.ts';
import { isTemporary, partsOfSegment, segmentPath } from './segment-file.ts';

/** Ids of one listing. More are left for the next. */
const listedAtOnce = 1_000;

interface CleanupPorts {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly disk: Disk;
}

/**
 * Makes missing folders of segments and recovers from a crash: what was being written is deleted, and so is a segment
 * that is not whole, which a power failure leaves where it was not flushed. Called once, before requests are served.
 */
export async function prepareSegments({ files, layout, disk }: CleanupPorts, since: InUseSince = null): Promise<void> {
  try {
    for (const name of Object.values(segmentFolders)) {
      const folder = join(layout.root, folders.segments, name);
      for (const shard of shards) makeDirs(join(folder, shard), 0o700, files);
      await disk.syncFolder(folder);
    }
    await disk.syncFolder(join(layout.root, folders.segments));
    await disk.syncFolder(layout.root);
    for (const shard of shards) {
      const folder = layout.openSegments(shard);
      for (const name of disk.list(folder)) {
        const path = segmentPath(folder, name);
        if (isTemporary(name) ? !isInUse(disk, path, since) : !isWhole(files, path, name)) disk.remove(path);
      }
    }
  } catch (error) {
    throw diskError(error);
  }
}

function isWhole(files: FileSystem, path: string, segment: string): boolean {
  try {
    return partsOfSegment(files, path, segment) !== null;
  } catch (error) {
    // Another process has just completed an object of it, or freed it.
    if (isAbsent(error)) return true;
    throw error;
  }
}

/** Frees a segment. Does nothing if there is none. */
export function deleteSegment({ layout, disk }: CleanupPorts, segment: string): void {
  if (!isSegment(segment)) throw new StorageError('invalid_key', 'The id of a segment has 32 hex digits.');
  try {
    for (const folder of [layout.openSegments(segment), layout.storedSegments(segment)]) disk.remove(segmentPath(folder, segment));
  } catch (error) {
    throw diskError(error);
  }
}

/** Ids of segments with completed objects, ascending, that have not changed since `olderThan`. */
export async function listSegments({ files, layout, disk }: CleanupPorts, olderThan: Date, after: string): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    for (const shard of shards) {
      if (shard < after.slice(0, 2)) continue;
      const folder = layout.storedSegments(shard);
      for (const segment of disk.list(folder).sort()) {
        if (segment > after && isSegment(segment) && isOlder(files, segmentPath(folder, segment), olderThan)) found.push(segment);
        if (found.length === listedAtOnce) return found;
      }
      await nextTurn();
    }
    return found;
  } catch (error) {
    throw diskError(error);
  }
}

/**
 * Frees what was received for packed uploads before `olderThan` and never completed: segments none of whose parts was,
 * and the folders of parts that came by themselves, also after their upload was completed or its file deleted.
 */
export async function endUploads(ports: CleanupPorts, olderThan: Date): Promise<void> {
  const { files, layout, disk } = ports;
  try {
    for (const shard of shards) {
      const open = layout.openSegments(shard);
      for (const segment of disk.list(open)) {
        const path = segmentPath(open, segment);
        if (isSegment(segment) && isOlder(files, path, olderThan)) disk.remove(path);
      }
      const uploads = join(layout.root, folders.uploads, shard);
      for (const name of disk.list(uploads)) {
        const path = join(uploads, name);
        const isPacked = uploadGroupOf(name.slice(name.lastIndexOf('@') + 1)) !== null;
        if (isPacked && isOlder(files, path, olderThan)) await discard(path, layout, disk);
      }
      await nextTurn();
    }
  } catch (error) {
    throw diskError(error);
  }
}

/** By the time of its last change, which a rename is too. */
function isOlder(files: FileSystem, path: string, olderThan: Date): boolean {
  try {
    const stats = files.stat(path);
    return stats !== null && Math.max(stats.mtimeMs, stats.ctimeMs) < olderThan.getTime();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
