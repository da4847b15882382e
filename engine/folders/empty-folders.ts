import { dirname } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import { systemCode } from '../errors.ts';

/**
 * The uppermost of the folders that `path`, which is no link, lacks on the disk; `null` if it is there. Whoever makes the
 * path has made that folder and all below it.
 */
export function firstMissing(path: string, fileSystem: Pick<FileSystem, 'stat'>): string | null {
  let missing: string | null = null;
  for (let at = path; fileSystem.stat(at) === null; at = dirname(at)) {
    missing = at;
    if (dirname(at) === at) break;
  }
  return missing;
}

/** Whether nothing is in the folder. Throws what keeps the disk from reading it. */
export async function isEmptyFolder(path: string, fileSystem: FileSystem): Promise<boolean> {
  const folder = await fileSystem.openDirectory(path, 1);
  try {
    return (await folder.read()) === null;
  } finally {
    await folder.close();
  }
}

/**
 * Removes the folder `from` and those above it, up to and with `last`, as long as they are empty. Real paths: a folder that
 * was exchanged for a link is left alone. Throws what keeps the disk from removing one that is empty.
 */
export function removeEmptyFolders(from: string, last: string, fileSystem: FileSystem): void {
  for (let at = from; at.startsWith(last); at = dirname(at)) {
    const found = fileSystem.lstatNow(at);
    if (found && fileSystem.realPath(at) !== at) return;
    try {
      fileSystem.rmdir(at);
    } catch (cause) {
      if (notEmpty.has(systemCode(cause))) return;
      if (systemCode(cause) !== 'ENOENT') throw cause;
    }
    if (at === last) return;
  }
}

const notEmpty: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);
