import { join } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { systemCode } from '../errors.ts';

/** Used from this depth on. */
export const deepLevels = 16;

/**
 * Creates a deep folder below a real path without following links. Each level is created relative to the one above it,
 * since the kernel walks a whole path again for every call: for two thousand levels that takes seconds. Linux only;
 * `null` where it cannot be done or something is in the way: the usual function then finds the reason and reports it.
 */
export function makeDeepFolder(
  root: string,
  parts: readonly string[],
  fileSystem: FileSystem = nodeFileSystem,
  platform = process.platform,
): string | null {
  if (platform !== 'linux') return null;
  const whole = join(root, ...parts);
  // One of these nearly always exists, because folders are requested one after the other.
  if (isReal(fileSystem, whole)) return whole;
  const parent = join(root, ...parts.slice(0, -1));
  const [from, missing] = isReal(fileSystem, parent) ? [parent, parts.slice(-1)] : [root, parts];
  let folder: OpenFile | null = null;
  try {
    folder = fileSystem.openNow(from, openFlags.directory);
    for (const name of missing) {
      const inside = openOrMake(fileSystem, join(pathOf(folder), name));
      folder.closeNow();
      folder = inside;
    }
    return fileSystem.readLink(pathOf(folder)) === whole ? whole : null;
  } catch {
    return null;
  } finally {
    folder?.closeNow();
  }
}

/** What is open, whatever its name has become. */
const pathOf = ({ descriptor }: OpenFile): string => `/proc/self/fd/${descriptor}`;

function openOrMake(fileSystem: FileSystem, path: string): OpenFile {
  try {
    return fileSystem.openNow(path, openFlags.directory);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  try {
    fileSystem.mkdir(path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  return fileSystem.openNow(path, openFlags.directory);
}

/** Whether it is a folder whose path contains no link. */
function isReal(fileSystem: FileSystem, path: string): boolean {
  let folder: OpenFile | null = null;
  try {
    folder = fileSystem.openNow(path, openFlags.directory);
    return fileSystem.readLink(pathOf(folder)) === path;
  } catch {
    return false;
  } finally {
    folder?.closeNow();
  }
}
