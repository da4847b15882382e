import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { checkTarget, type PathGuard } from '../../folders/path-guard.ts';
import type { SafeRoot } from '../../folders/safe-root.ts';

/**
 * What is checked of a temporary file once it is open, and before anything is written to it: that its path is inside the
 * allowed folders, and that its root is still the same folder, whose drive may have gone since the file was asked for.
 */
export function checkOpened(
  safeRoot: SafeRoot,
  temporary: string,
  guard: PathGuard | null,
  fileSystem: FileSystem,
): (file: OpenFile) => void {
  const checkInside = guard ? checkTarget(guard, temporary, fileSystem) : null;
  return (file) => {
    checkInside?.(file);
    try {
      safeRoot.check();
    } catch (error) {
      // It was made by this opening: nothing is left in a folder that is not ours.
      if (file.statNow().size === 0) fileSystem.removeNow(temporary);
      throw error;
    }
  };
}
