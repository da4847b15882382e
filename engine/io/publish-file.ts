import { openFlags } from '#filesystem/flags.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { lstatOrThrow } from '#filesystem/system-error.ts';
import { codeOf } from './disk-failures.ts';

/** Errors of file systems without hard links: FAT, some network drives. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

/**
 * Gives a file its final name, which must be free (`EEXIST`), even if another process takes the name at the same
 * moment. It uses a link and an unlink, since a rename would overwrite; `replace` uses the rename. Idempotent after a
 * crash in between.
 */
export function publishFile(temporary: string, target: string, replace = false, fileSystem: FileSystem = nodeFileSystem): void {
  if (replace) {
    fileSystem.rename(temporary, target);
    return;
  }
  try {
    fileSystem.link(temporary, target);
  } catch (error) {
    const code = codeOf(error);
    if (noLinks.has(code ?? '')) {
      renameIntoFree(fileSystem, temporary, target);
      return;
    }
    if (code !== 'EEXIST' || !sameFile(fileSystem, temporary, target)) throw error;
  }
  fileSystem.unlink(temporary);
}

/** Without links: an empty file reserves the name, and is then replaced. */
function renameIntoFree(fileSystem: FileSystem, temporary: string, target: string): void {
  fileSystem.openNow(target, openFlags.create).closeNow();
  try {
    fileSystem.rename(temporary, target);
  } catch (error) {
    fileSystem.removeNow(target);
    throw error;
  }
}

function sameFile(fileSystem: FileSystem, a: string, b: string): boolean {
  const [one, other] = [lstatOrThrow(fileSystem, a), lstatOrThrow(fileSystem, b)];
  return one.ino === other.ino && one.dev === other.dev;
}

/**
 * Whether a commit that a crash interrupted had succeeded: the target has this size and time, and the temporary file is
 * gone, or is the same file.
 */
export function wasCommitted(
  temporary: string,
  target: string,
  { size, mtimeMs }: { size: number; mtimeMs: number },
  fileSystem: FileSystem = nodeFileSystem,
): boolean {
  const there = fileSystem.lstatNow(target);
  if (!there?.isFile() || there.size !== size || Math.abs(there.mtimeMs - mtimeMs) >= 1) return false;
  const left = fileSystem.lstatNow(temporary);
  if (!left) return true;
  if (left.ino !== there.ino || left.dev !== there.dev) return false;
  fileSystem.unlink(temporary);
  return true;
}
