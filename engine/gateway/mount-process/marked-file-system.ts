import type { FileSystem } from '#filesystem/port.ts';
import { systemError } from '#filesystem/system-error.ts';
import { isInside } from '../../folders/roots.ts';
import { readMarker } from './marker-file.ts';
import type { ProbedMount } from './probe.ts';

/**
 * The disks as the engine of a mount sees them: no folder is made or removed below the root while its marker is away. So
 * a drive that goes between two looks leaves its empty folder empty, no delivery begins on the disk below it, and one that
 * is cancelled knows that it has not removed anything yet.
 */
export function markedFileSystem({ mountId, root, marked }: ProbedMount, fileSystem: FileSystem): FileSystem {
  if (!marked) return fileSystem;
  const isAway = (path: string): boolean => isInside(path, rootsOf(root, fileSystem)) && readMarker(root, fileSystem) !== mountId;
  return {
    ...fileSystem,
    mkdir(path, mode) {
      if (isAway(path)) throw systemError('ENOENT', 'mkdir', path);
      fileSystem.mkdir(path, mode);
    },
    rmdir(path) {
      if (isAway(path)) throw systemError('ENOTCONN', 'rmdir', path);
      fileSystem.rmdir(path);
    },
  };
}

/** As it was chosen, and where it really is. */
function rootsOf(root: string, fileSystem: FileSystem): string[] {
  try {
    return [root, fileSystem.realPath(root)];
  } catch {
    return [root];
  }
}
