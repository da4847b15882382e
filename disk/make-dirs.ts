import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The file system calls that it uses. */
export interface DirDisk {
  /** `null` where the path does not exist; a link counts as its target. */
  stat(path: string): { isDirectory(): boolean } | null;
  /** Makes one directory; its parent exists. */
  mkdir(path: string, mode: number): void;
}

const systemDisk: DirDisk = {
  stat: (path) => statSync(path, { throwIfNoEntry: false }) ?? null,
  mkdir: (path, mode) => mkdirSync(path, { mode }),
};

/**
 * Makes a directory and its missing parents, level by level: at most one attempt for each level. Use it instead of
 * `mkdir` with `recursive`: in Node 24 that call never returns, and blocks the whole process, where the parent exists
 * and the file system still reports ENOENT, as `/proc` does.
 *
 * @param mode of every directory that it makes, before the umask
 * @throws the file system's error of the first level that cannot be made; ENOTDIR or EEXIST where something else is there
 */
export function makeDirs(path: string, mode = 0o777, disk: DirDisk = systemDisk): void {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = disk.stat(at);
    if (found?.isDirectory()) break;
    if (found) throw notDirectory(at, at === resolve(path));
    missing.push(at);
    if (dirname(at) === at) break;
  }
  for (const dir of missing.reverse()) {
    try {
      disk.mkdir(dir, mode);
    } catch (error) {
      // Another process made it in the meantime.
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && disk.stat(dir)?.isDirectory();
      if (!isThere) throw error;
    }
  }
}

/** The error that `mkdir` reports for the path itself, or for one of its parents. */
function notDirectory(path: string, isWhole: boolean): NodeJS.ErrnoException {
  const [code, words] = isWhole ? ['EEXIST', 'file already exists'] : ['ENOTDIR', 'not a directory'];
  return Object.assign(new Error(`${code}: ${words}, mkdir '${path}'`), { code, syscall: 'mkdir', path });
}
