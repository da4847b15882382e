import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { accessModes } from './flags.ts';
import type { FileStats, FileSystem } from './port.ts';

/** An error as the system reports it. */
export function systemError(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  const number = constants.errno[code as keyof typeof constants.errno];
  const errno = -number;
  const words = getSystemErrorMap().get(errno)?.[1] ?? 'unknown error';
  return Object.assign(new Error(`${code}: ${words}, ${syscall} '${path}'`), { errno, code, syscall, path });
}

/** What is at the path, or at the end of its links. Throws the system's reason where nothing is. */
export function statOrThrow(files: FileSystem, path: string): FileStats {
  const found = files.stat(path);
  if (found) return found;
  files.access(path, accessModes.exist);
  throw systemError('ENOENT', 'stat', path);
}

/** The same of a link itself. */
export function lstatOrThrow(files: FileSystem, path: string): FileStats {
  const found = files.lstatNow(path);
  if (!found) throw systemError('ENOENT', 'lstat', path);
  return found;
}
