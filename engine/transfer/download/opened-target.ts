import { basename, dirname, sep } from 'node:path';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import { checkTarget, type PathGuard } from '../../folders/path-guard.ts';
import type { SafeRoot } from '../../folders/safe-root.ts';

/**
 * What is checked of a temporary file once it is open, and before anything is written to it: that it lies inside the root, and
 * inside the allowed folders where there are some, and that the root is still the same folder, whose drive may have gone since the
 * file was asked for. Whoever else may write in the root may exchange a folder of it for a link at any moment.
 */
export function checkOpened(
  safeRoot: Pick<SafeRoot, 'root' | 'check'>,
  temporary: string,
  guard: PathGuard | null,
  fileSystem: FileSystem,
): (file: OpenFile) => void {
  // Built as late as it is needed: this is called for each of many small files.
  return (file) => {
    if (guard) checkTarget(guard, temporary, fileSystem)(file);
    else checkBelow(file, safeRoot.root, temporary, fileSystem);
    try {
      safeRoot.check();
    } catch (error) {
      // It was made by this opening: nothing is left in a folder that is not ours.
      if (file.statNow().size === 0) fileSystem.removeNow(temporary);
      throw error;
    }
  };
}

/** The same as `checkTarget` for a transfer that is not restricted. Linux tells by one call where an open file lies. */
function checkBelow(file: OpenFile, root: string, temporary: string, fileSystem: FileSystem): void {
  const path = whereIs(file, fileSystem);
  // The root is a real path, and so is this one if no link was met.
  if (path === temporary) return;
  const isBelow = (real: string): boolean => real.startsWith(root.endsWith(sep) ? root : root + sep);
  const requireBelow = (folder: string, real: string): string => {
    if (isBelow(real) || real === root) return real;
    throw new AgentError('name_unsafe', { path: basename(temporary), detail: `its folder ${folder} leads out of ${root}.` });
  };
  if (path === null) {
    checkTarget((folder) => requireBelow(folder, fileSystem.realPath(folder)), temporary, fileSystem)(file);
    return;
  }
  if (isBelow(path)) return;
  // Made outside by this opening.
  if (file.statNow().size === 0) fileSystem.removeNow(path);
  requireBelow(dirname(temporary), path);
}

/** The path of an open file; null on a system that does not tell. */
function whereIs(file: OpenFile, fileSystem: FileSystem): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return fileSystem.readLink(`/proc/self/fd/${file.descriptor}`);
  } catch {
    return null;
  }
}
