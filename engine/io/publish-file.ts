import * as fs from 'node:fs';
import { codeOf } from './disk-failures.ts';

/** Errors of file systems without hard links: FAT, some network drives. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

/**
 * Gives a file its final name, which must be free (`EEXIST`), even if another process takes the name at the same
 * moment. It uses a link and an unlink, since a rename would overwrite; `replace` uses the rename. Idempotent after a
 * crash in between.
 */
export function publishFile(temporary: string, target: string, replace = false): void {
  if (replace) {
    fs.renameSync(temporary, target);
    return;
  }
  try {
    fs.linkSync(temporary, target);
  } catch (error) {
    const code = codeOf(error);
    if (noLinks.has(code ?? '')) {
      renameIntoFree(temporary, target);
      return;
    }
    if (code !== 'EEXIST' || !sameFile(temporary, target)) throw error;
  }
  fs.unlinkSync(temporary);
}

/** Without links: an empty file reserves the name, and is then replaced. */
function renameIntoFree(temporary: string, target: string): void {
  fs.closeSync(fs.openSync(target, 'wx'));
  try {
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(target, { force: true });
    throw error;
  }
}

function sameFile(a: string, b: string): boolean {
  const [one, other] = [fs.lstatSync(a), fs.lstatSync(b)];
  return one.ino === other.ino && one.dev === other.dev;
}

/**
 * Whether a commit that a crash interrupted had succeeded: the target has this size and time, and the temporary file is
 * gone, or is the same file.
 */
export function wasCommitted(temporary: string, target: string, { size, mtimeMs }: { size: number; mtimeMs: number }): boolean {
  const there = fs.lstatSync(target, { throwIfNoEntry: false });
  if (!there?.isFile() || there.size !== size || Math.abs(there.mtimeMs - mtimeMs) >= 1) return false;
  const left = fs.lstatSync(temporary, { throwIfNoEntry: false });
  if (!left) return true;
  if (left.ino !== there.ino || left.dev !== there.dev) return false;
  fs.unlinkSync(temporary);
  return true;
}
