import { openFlags } from '#filesystem/flags.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { systemError } from '#filesystem/system-error.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { systemCode } from '../errors.ts';
import { closeReadNow } from './close-read.ts';

/** A pinned folder: checked, and kept open while it is read. */
export interface PinnedDir {
  /** The path for reading. If the system supports it, this refers to the opened folder, even if its name changes. */
  readonly path: string;
  /** Throws if another folder may have been read. Called after reading, before anything is reported. */
  check(): void;
  close(): void;
}

interface PinOptions {
  /** Another path to the folder: its name in a pinned one. */
  readonly by?: string;
  readonly platform?: NodeJS.Platform | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

/** Returns where a path really leads; throws `path_outside` if that is not inside the allowed folders. */
type PathGuard = (path: string) => string;

/**
 * Opens a folder by its real path and accepts it only if the opened folder is inside: since the path was resolved, the
 * folder or one above it may have been replaced by a link. Throws `path_outside`, or `path_unreadable` if it is another
 * folder; system errors are thrown unchanged.
 */
export function openPinnedDir(
  folder: string,
  guard: PathGuard,
  { by = folder, platform = process.platform, fileSystem = nodeFileSystem }: PinOptions = {},
): PinnedDir {
  return (platform === 'linux' ? pinOpened(fileSystem, folder, by, guard) : null) ?? pinByName(fileSystem, folder, guard);
}

/**
 * Opens a folder that was found in one that is read, wherever that is: a link that has come in its place since is refused, as
 * `path_unreadable`. `null` where the system does not list a folder by its descriptor.
 */
export function openSubfolder(
  folder: string,
  by: string,
  fileSystem: FileSystem = nodeFileSystem,
  platform: NodeJS.Platform = process.platform,
): PinnedDir | null {
  return platform === 'linux' ? pinOpened(fileSystem, folder, by, (path) => path) : null;
}

const exchanged = (folder: string, cause?: unknown): ApiError =>
  new AgentError('path_unreadable', { path: folder, detail: 'another one has come in its place.' }, { cause });

/** The kernel reports the path of an open folder, and lists it by its descriptor. `null` on a system without `/proc`. */
function pinOpened(fileSystem: FileSystem, folder: string, by: string, guard: PathGuard): PinnedDir | null {
  const opened = openFolder(fileSystem, folder, by, guard);
  const path = `/proc/self/fd/${opened.descriptor}`;
  try {
    const real = whereIs(fileSystem, path);
    if (real !== null) {
      letIn(folder, real, guard);
      return { path, check: () => undefined, close: () => closeReadNow(opened) };
    }
  } catch (error) {
    closeReadNow(opened);
    throw error;
  }
  closeReadNow(opened);
  return null;
}

function openFolder(fileSystem: FileSystem, folder: string, by: string, guard: PathGuard): OpenFile {
  try {
    return fileSystem.openNow(by, openFlags.directory);
  } catch (cause) {
    // A real path ends in no link, unless one was created since: the system then reports that it is no folder.
    const isLink = systemCode(cause) === 'ENOTDIR' && fileSystem.lstatNow(by)?.isSymbolicLink();
    if (!isLink) throw cause;
    guard(folder);
    throw exchanged(folder, cause);
  }
}

function whereIs(fileSystem: FileSystem, descriptor: string): string | null {
  try {
    return fileSystem.readLink(descriptor);
  } catch {
    return null;
  }
}

/** For a folder outside, the error names only the requested path. */
function letIn(folder: string, real: string, guard: PathGuard): void {
  try {
    if (guard(real) === real) return;
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.error !== 'path_outside') throw exchanged(folder, cause);
    throw new AgentError('path_outside', { ...cause.details, path: folder }, { cause });
  }
  throw exchanged(folder);
}

/** On other systems the folder is compared before and after: a replaced folder is detected unless it was restored. */
function pinByName(fileSystem: FileSystem, folder: string, guard: PathGuard): PinnedDir {
  const identityOf = (path: string): string => {
    const identity = fileSystem.identity(path);
    if (identity === null) throw systemError('ENOENT', 'stat', path);
    return identity;
  };
  const before = identityOf(folder);
  const check = (): void => {
    if (identityOf(guard(folder)) !== before) throw exchanged(folder);
  };
  check();
  return { path: folder, check, close: () => undefined };
}
