import { dirname, resolve } from 'node:path';
import { nodeFileSystem } from './node-file-system.ts';
import { systemError } from './system-error.ts';

/** What it needs of a `FileSystem`. */
export interface DirFiles {
  /** `null` where the path does not exist; a link counts as its target. */
  stat(path: string): { isDirectory(): boolean } | null;
  /** Makes one directory; its parent exists. */
  mkdir(path: string, mode: number): void;
}

/**
 * Makes a directory and its missing parents, level by level: at most one attempt for each level. Use it instead of
 * `mkdir` with `recursive`: in Node 24 that call never returns, and blocks the whole process, where the parent exists
 * and the file system still reports ENOENT, as `/proc` does.
 *
 * @param mode of every directory that it makes, before the umask
 * @throws the file system's error of the first level that cannot be made; ENOTDIR or EEXIST where something else is there
 */
export function makeDirs(path: string, mode = 0o777, files: DirFiles = nodeFileSystem): void {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = files.stat(at);
    if (found?.isDirectory()) break;
    if (found) throw notDirectory(at, at === resolve(path));
    missing.push(at);
    if (dirname(at) === at) break;
  }
  for (const dir of missing.reverse()) {
    try {
      files.mkdir(dir, mode);
    } catch (error) {
      // Another process made it in the meantime.
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && files.stat(dir)?.isDirectory();
      if (!isThere) throw error;
    }
  }
}

/** The error that `mkdir` reports for the path itself, or for one of its parents. */
const notDirectory = (path: string, isWhole: boolean): Error => systemError(isWhole ? 'EEXIST' : 'ENOTDIR', 'mkdir', path);
