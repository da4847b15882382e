import { basename, dirname, join } from 'node:path';
import { TransferError } from '#client/errors.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileStats, FileSystem, OpenFile } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import { stampOf } from '../io/file-stamp.ts';
import type { FileRecord, TransferRecord } from '../transfer/record.ts';

/**
 * Path guard: keeps a transfer inside the allowed folders while it runs (docs/decisions/0027). Its paths were inside at
 * the time of the request; since then a folder on the way may have been replaced by a symbolic link.
 */

/** Returns where a path really leads now; throws `path_outside` if that is not inside the allowed folders. */
export type PathGuard = (path: string) => string;

/** The path guard of this transfer; `null` for a transfer of a person at this machine, which is not restricted. */
export function pathGuardFor({ pathGuard }: { readonly pathGuard: PathGuard }, { facts }: TransferRecord): PathGuard | null {
  return facts.restricted ? pathGuard : null;
}

/**
 * Checks that a file of an upload is inside now, and is the file that was scanned. The reader compares the inode again,
 * so that no other file is read, whatever happens to the path later.
 */
export function checkSource(
  guard: PathGuard,
  { local, inode }: Pick<FileRecord, 'local' | 'inode'>,
  fileSystem: FileSystem = nodeFileSystem,
): void {
  const found = fileSystem.stat(guard(local));
  // Missing or unreadable files are reported when they are read.
  if (!found || isInode(found, inode)) return;
  throw new TransferError(
    'file_changed',
    `${local} is another file than when it was added. Wait until nothing changes it, then try again.`,
  );
}

/**
 * Checks that a file opened for writing is the one at its path, and that this path is inside. Nothing is written before
 * this check.
 */
export function checkTarget(guard: PathGuard, path: string, fileSystem: FileSystem = nodeFileSystem): (file: OpenFile) => void {
  return (file) => {
    const there = fileSystem.lstatNow(join(guard(dirname(path)), basename(path)));
    const opened = file.statNow();
    if (there && there.ino === opened.ino && there.dev === opened.dev) return;
    throw new AgentError('name_unsafe', { path: basename(path), detail: `its folder ${dirname(path)} was exchanged for another.` });
  };
}

const isInode = (found: FileStats, inode: string): boolean => stampOf(found).inode.split(':').at(-1) === inode.split(':').at(-1);
