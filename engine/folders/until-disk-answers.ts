import { sep } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';

/**
 * Waits until the disk of this path answers, and returns whether it is certainly one of this machine. A disk that hangs is
 * waited for here, where the work can be left behind: the synchronous calls that follow would stop the whole agent. What
 * is wrong with the path is for those to say.
 */
export async function untilDiskAnswers(path: string, fileSystem: FileSystem): Promise<boolean> {
  // Also of a folder that a symbolic link leads to.
  await fileSystem.lstat(`${path}${sep}.`).catch(() => null);
  return await fileSystem.isLocal(path);
}
