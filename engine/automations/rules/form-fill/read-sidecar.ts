import { join } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import { readFully } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { Sidecar } from './sidecar.ts';
import { findSidecar, type SidecarIndex } from './sidecar-index.ts';

/** Finds and reads the file that a pattern means for one entry; null where there is none. */
export type ReadSidecar = (pattern: string) => Promise<Sidecar | null>;

/** Larger ones are left alone: a sidecar is a few kilobytes, and is read into memory. */
const largestSidecar = 1024 * 1024;

/**
 * Reads the sidecars of one entry. Links are not followed: what they lead to is outside the watched folder.
 *
 * @param folder the watched folder's real path
 * @param entry its path inside that
 * @param index asked for only where a form reads a sidecar: of 100,000 files it takes a second
 */
export function sidecarReader(
  folder: string,
  entry: string,
  index: () => SidecarIndex,
  fileSystem: FileSystem = nodeFileSystem,
): ReadSidecar {
  return async (pattern) => {
    const path = findSidecar(pattern, entry, index());
    if (path === null) return null;
    const bytes = await readSmall(join(folder, path), fileSystem);
    return bytes && { path, bytes };
  };
}

async function readSmall(path: string, fileSystem: FileSystem): Promise<Uint8Array | null> {
  let file: Awaited<ReturnType<FileSystem['open']>>;
  try {
    file = await fileSystem.open(path, openFlags.readOwn);
  } catch {
    // It went away, or may not be read: as if it were not there.
    return null;
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > largestSidecar) return null;
    const buffer = new Uint8Array(stats.size);
    return buffer.subarray(0, await readFully(file, buffer, buffer.length, 0));
  } finally {
    await file.close();
  }
}
