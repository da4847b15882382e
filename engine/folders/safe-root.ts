import { isAbsolute, join, relative, sep } from 'node:path';
import { TransferError } from '#client/errors.ts';
import { openFlags } from '#filesystem/flags.ts';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import { statOrThrow } from '#filesystem/system-error.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { engineActivity } from '../activity-channel.ts';
import { systemCode } from '../errors.ts';
import { targetFailure } from '../io/disk-failures.ts';
import { deepLevels, makeDeepFolder } from './deep-folder.ts';
import type { PathGuard } from './path-guard.ts';
import { pathTrouble } from './scan.ts';
import type { EntryKind, NameRules } from './targets.ts';

/**
 * Creates the chosen folder if needed and returns its real path; `path_not_absolute` and `path_unreadable` say what is
 * wrong, and `guard` throws if the path leads out of the allowed folders.
 */
export function openFolder(path: string, guard: PathGuard | null = null, fileSystem: FileSystem = nodeFileSystem): string {
  if (!isAbsolute(path)) throw new AgentError('path_not_absolute', { path });
  try {
    engineActivity.publish(`open the folder ${path}`);
    guard?.(path);
    makeDirs(path, 0o777, fileSystem);
    const real = guard?.(path) ?? fileSystem.realPath(path);
    if (!statOrThrow(fileSystem, real).isDirectory()) throw new AgentError('path_unreadable', { path, detail: 'it is not a folder.' });
    return real;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    const detail = unmade[systemCode(cause)] ?? pathTrouble(cause);
    throw new AgentError('path_unreadable', { path, detail: `${detail}. Choose another folder.` }, { cause });
  }
}

/** Why a folder cannot be created, by error code. */
const unmade: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a folder',
  // /proc answers so although the parent folder exists.
  ENOENT: 'its file system takes no folder there',
};

/** A safe root: nothing is written outside of this folder. */
export interface SafeRoot {
  readonly root: string;
  /** Throws `target_unwritable` if the root is not there, or what `checkRoot` throws of it. */
  check(): void;
  /**
   * Makes the folder `path` (with `/`; empty for the root) below the root and returns its path on disk. A symbolic link
   * or a file on the way is refused, because it could lead outside.
   */
  folder(path: string): string;
  /** The path of a file in a folder that was created. */
  pathOf(path: string): string;
  /** What exists at `path` below the root: a link or a folder is `other`. */
  entryAt(path: string): EntryKind;
}

/**
 * `root` is a real path. With `guard`, the root must be inside the allowed folders at every request for a folder;
 * `checkRoot` gets what is found at its path each time.
 */
export function createSafeRoot(
  root: string,
  guard: PathGuard | null = null,
  fileSystem: FileSystem = nodeFileSystem,
  checkRoot: (found: FileStats) => void = () => {},
): SafeRoot {
  const check = (): void => {
    // The root itself is never made here: if it is missing, its drive is missing, and files must not be written below
    // an empty mount point.
    const found = fileSystem.lstatNow(root);
    if (!found?.isDirectory()) {
      throw new TransferError('target_unwritable', `The folder ${root} is not there any more. Put it back, or connect its drive again.`);
    }
    checkRoot(found);
  };
  /** What a disk refuses to look at, such as a path that is too long, is a failure of this file. */
  const lookAt = (path: string): FileStats | null => {
    try {
      return fileSystem.lstatNow(path);
    } catch (cause) {
      throw targetFailure(path, cause);
    }
  };
  const step = (parent: string, name: string): string => {
    const path = join(parent, name);
    // Checked first, since it nearly always exists: each of ten thousand files asks for its folder.
    let found = lookAt(path);
    if (!found) {
      try {
        fileSystem.mkdir(path);
      } catch (cause) {
        if (systemCode(cause) !== 'EEXIST') throw targetFailure(path, cause);
        found = fileSystem.lstatNow(path);
      }
    }
    if (found && !found.isDirectory()) {
      const kind = found.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
      throw new AgentError('name_unsafe', { path: relative(root, path), detail: `${path} is ${kind}. Move it away.` });
    }
    return path;
  };
  return {
    root,
    check,
    folder(path) {
      guard?.(root);
      check();
      if (path === '') return root;
      const parts = path.split('/');
      const deep = parts.length < deepLevels ? null : makeDeepFolder(root, parts, fileSystem);
      if (deep !== null) return deep;
      const made = parts.reduce(step, root);
      const real = fileSystem.realPath(made);
      if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
        throw new AgentError('name_unsafe', { path, detail: `${made} leads out of ${root}.` });
      }
      return real;
    },
    pathOf: (path) => join(root, ...path.split('/')),
    entryAt(path) {
      const found = fileSystem.lstatNow(join(root, ...path.split('/')));
      return found ? (found.isFile() ? 'file' : 'other') : 'nothing';
    },
  };
}

/** Tests whether the disk distinguishes `A` from `a`, and composed from decomposed letters. */
export function probeNames(root: string, unique: string, fileSystem: FileSystem = nodeFileSystem): NameRules {
  const name = `.longshore-${unique}-probe-\u00e9`;
  const probe = join(root, name);
  try {
    fileSystem.openNow(probe, openFlags.create).closeNow();
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') throw targetFailure(probe, cause);
  }
  try {
    const there = (other: string): boolean => fileSystem.lstatNow(join(root, other)) !== null;
    return { foldsCase: there(name.replace('probe', 'PROBE')), foldsUnicode: there(name.normalize('NFD')) };
  } finally {
    fileSystem.removeNow(probe);
  }
}
