import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { AgentError, type ApiError } from '#protocol/errors.ts';
import { systemCode } from '../errors.ts';
import { pathTrouble } from './scan.ts';

/** The folders that remote callers may use, and the check that a path stays inside (docs/decisions/0027). */

/** Real paths of the existing roots, without duplicates; a root on a disconnected drive permits nothing. */
export function realRoots(roots: readonly string[], fileSystem: FileSystem = nodeFileSystem): string[] {
  const there = roots.flatMap((root) => {
    try {
      return [fileSystem.realPath(root)];
    } catch {
      return [];
    }
  });
  return [...new Set(there)];
}

/** Whether a real path is one of the roots or lies below one. */
export function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

/**
 * Returns where a path really leads, if that is inside the roots. A missing file is judged by the folder that it would
 * be created in. `path_not_absolute`; `path_outside` for any path that leads out, existing or not, and for any `..`;
 * `path_unreadable` if it cannot be determined.
 */
export function allowedPath(path: string, roots: readonly string[], fileSystem: FileSystem = nodeFileSystem): string {
  if (!isAbsolute(path)) throw new AgentError('path_not_absolute', { path });
  const outside = () => new AgentError('path_outside', { path, roots: roots.join(', ') || '(none)' });
  // The system would follow a link before it goes up; no legitimate request needs `..`.
  if (path.includes('\0') || path.split(/[\\/]/).includes('..')) throw outside();
  const real = destination(fileSystem, path, outside);
  if (!isInside(real, realRoots(roots, fileSystem))) throw outside();
  return real;
}

function destination(fileSystem: FileSystem, path: string, outside: () => ApiError): string {
  try {
    return fileSystem.realPath(path);
  } catch (cause) {
    const code = systemCode(cause);
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new AgentError('path_unreadable', { path, detail: `${pathTrouble(cause)}.` }, { cause });
    // A link without a target now could lead anywhere later.
    if (isLink(fileSystem, path)) throw outside();
    const above = dirname(path);
    if (above === path) throw outside();
    return join(destination(fileSystem, above, outside), basename(path));
  }
}

function isLink(fileSystem: FileSystem, path: string): boolean {
  try {
    return fileSystem.lstatNow(path)?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}
