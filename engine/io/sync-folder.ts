import { openFlags } from '#filesystem/flags.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { codeOf } from './disk-failures.ts';

/** Errors of file systems that cannot sync a folder; a folder that is writable but not readable cannot be opened. */
const cannot: ReadonlySet<string | null> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'EACCES', 'EPERM']);

/** Makes the names in a folder survive a power failure, if the system can. Rejects with the system's error about its disk. */
export async function syncFolder(path: string, fileSystem: FileSystem = nodeFileSystem): Promise<void> {
  // Windows has no folder handle to sync, and needs none.
  if (process.platform === 'win32') return;
  try {
    const folder = await fileSystem.open(path, openFlags.read);
    try {
      await folder.flush();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!cannot.has(codeOf(error))) throw error;
  }
}

/** Makes the names in a folder survive a power failure. */
export type FolderFlush = (path: string) => Promise<void>;

/** Flushes of one folder that are requested while one runs share the next one: the running one may have missed the new names. */
export function createFolderFlush(sync: FolderFlush = (path) => syncFolder(path)): FolderFlush {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();

  function begin(path: string): Promise<void> {
    const flushing = sync(path).finally(() => {
      if (running.get(path) === flushing) running.delete(path);
    });
    running.set(path, flushing);
    return flushing;
  }

  return (path) => {
    const before = running.get(path);
    if (!before) return begin(path);
    const waiting = next.get(path);
    if (waiting) return waiting;
    const own = before
      .catch(() => undefined)
      .then(() => {
        next.delete(path);
        return begin(path);
      });
    next.set(path, own);
    return own;
  };
}
