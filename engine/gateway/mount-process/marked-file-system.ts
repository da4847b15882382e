import type { FileSystem } from '#filesystem/port.ts';
import { systemError } from '#filesystem/system-error.ts';
import { isInside } from '../../folders/roots.ts';
import { readMarker } from './marker-file.ts';
import type { ProbedMount } from './probe.ts';

/**
 * The disks as the engine of a mount sees them: no folder is made below the root while its marker is away. So a drive
 * that goes between two looks leaves its empty folder empty, and no delivery begins on the disk below it.
 */
export function markedFileSystem({ mountId, root, marked }: ProbedMount, fileSystem: FileSystem): FileSystem {
  if (!marked) return fileSystem;
  return {
    ...fileSystem,
    mkdir(path, mode) {
      if (isInside(path, rootsOf(root, fileSystem)) && readMarker(root, fileSystem) !== mountId) throw systemError('ENOENT', 'mkdir', path);
      fileSystem.mkdir(path, mode);
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
