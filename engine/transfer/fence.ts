import { lstatSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { MoveError } from '#client/errors.ts';
import { ApiError } from '#protocol/errors.ts';
import { systemCode } from '../errors.ts';
import { targetFailure } from '../io/disk-failures.ts';
import type { Admit } from './held.ts';
import { pathTrouble } from './scan.ts';
import type { NameRules, Standing } from './targets.ts';

/**
 * Makes the chosen folder if need be and gives its real path; `path_not_absolute` and `path_unreadable` say what is
 * wrong, and `admit` where it leads out of the allowed folders.
 */
export function openFolder(path: string, admit: Admit | null = null): string {
  if (!isAbsolute(path)) throw new ApiError('path_not_absolute', { path });
  try {
    admit?.(path);
    mkdirSync(path, { recursive: true });
    const real = admit?.(path) ?? realpathSync(path);
    if (!statSync(real).isDirectory()) throw new ApiError('path_unreadable', { path, detail: 'it is not a folder.' });
    return real;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    const detail = systemCode(cause) === 'EEXIST' ? 'it is not a folder' : pathTrouble(cause);
    throw new ApiError('path_unreadable', { path, detail: `${detail}. Choose another folder.` }, { cause });
  }
}

/** A folder that nothing is written outside of. */
export interface Fence {
  readonly root: string;
  /**
   * Makes the folder `path` (with `/`; empty for the root) below the root and gives its place on disk. A
   * symbolic link or a file on the way is refused, whoever put it there: it could lead outside.
   */
  folder(path: string): string;
  /** Where a file of a folder that was made goes. */
  place(path: string): string;
  /** What stands at `path` below the root: a link or a folder is `other`. */
  standing(path: string): Standing;
}

/** `root` is a real path. With `admit` it has to be inside the allowed folders each time that a folder is asked for. */
export function createFence(root: string, admit: Admit | null = null): Fence {
  const step = (parent: string, name: string): string => {
    const place = join(parent, name);
    // Looked at first, since it nearly always stands: of ten thousand files each asks for its folder.
    let found = lstatSync(place, { throwIfNoEntry: false });
    if (!found) {
      try {
        mkdirSync(place);
      } catch (cause) {
        if (systemCode(cause) !== 'EEXIST') throw targetFailure(place, cause);
        found = lstatSync(place, { throwIfNoEntry: false });
      }
    }
    if (found && !found.isDirectory()) {
      const kind = found.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
      throw new ApiError('name_unsafe', { path: relative(root, place), detail: `${place} is ${kind}. Move it away.` });
    }
    return place;
  };
  return {
    root,
    folder(path) {
      admit?.(root);
      // The root itself is never made here: when it is gone, its drive is, and files must not land below an empty mount point.
      if (!lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) {
        throw new MoveError('target_unwritable', `The folder ${root} is not there any more. Put it back, or connect its drive again.`);
      }
      if (path === '') return root;
      const place = path.split('/').reduce(step, root);
      const real = realpathSync.native(place);
      if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
        throw new ApiError('name_unsafe', { path, detail: `${place} leads out of ${root}.` });
      }
      return real;
    },
    place: (path) => join(root, ...path.split('/')),
    standing(path) {
      const found = lstatSync(join(root, ...path.split('/')), { throwIfNoEntry: false });
      return found ? (found.isFile() ? 'file' : 'other') : 'nothing';
    },
  };
}

/** Finds out by trying whether the disk tells `A` from `a`, and composed letters from decomposed ones. */
export function probeNames(root: string, unique: string): NameRules {
  const name = `.longshore-${unique}-probe-\u00e9`;
  const probe = join(root, name);
  try {
    writeFileSync(probe, '', { flag: 'wx' });
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') throw targetFailure(probe, cause);
  }
  try {
    const there = (other: string): boolean => lstatSync(join(root, other), { throwIfNoEntry: false }) !== undefined;
    return { foldsCase: there(name.replace('probe', 'PROBE')), foldsUnicode: there(name.normalize('NFD')) };
  } finally {
    rmSync(probe, { force: true });
  }
}
