import { constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import { ApiError } from '#protocol/errors.ts';
import { systemCode } from '../errors.ts';
import { isInside } from './roots.ts';

/** A folder that was let in, for as long as it is read. */
export interface HeldFolder {
  /** By which it is read. Where the system can say it, this leads to the folder that was opened, whatever becomes of its name. */
  readonly path: string;
  /** Throws `path_outside` where another folder may have been read. Called when all is read, before it is told. */
  check(): void;
  close(): Promise<void>;
}

/**
 * Opens a folder by its real path and lets it in only where what was opened is inside the roots: somebody may have put
 * a link in its place, or in that of a folder above it, since that path was found out. Errors of the system come as
 * they are.
 */
export async function holdFolder(
  folder: string,
  roots: readonly string[],
  platform: NodeJS.Platform = process.platform,
): Promise<HeldFolder> {
  return platform === 'linux' ? holdOpened(folder, roots) : holdNamed(folder, roots);
}

const outside = (folder: string, roots: readonly string[], cause?: unknown): ApiError =>
  new ApiError('path_outside', { path: folder, roots: roots.join(', ') || '(none)' }, { cause });

/** The kernel says where an open folder lies, and lists it by its descriptor. */
async function holdOpened(folder: string, roots: readonly string[]): Promise<HeldFolder> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch((cause: unknown) => {
    // A real path ends in no link, unless one has come there since: that is no folder to the system.
    const exchanged = systemCode(cause) === 'ENOTDIR' && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink();
    throw exchanged ? outside(folder, roots, cause) : cause;
  });
  const path = `/proc/self/fd/${handle.fd}`;
  try {
    if (!isInside(await readlink(path), roots)) throw outside(folder, roots);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { path, check: () => undefined, close: () => handle.close() };
}

/** Elsewhere it is compared before and after: a folder that was exchanged meanwhile is found out unless it was put back. */
function holdNamed(folder: string, roots: readonly string[]): HeldFolder {
  const before = statSync(folder, { bigint: true });
  const isThere = (): boolean => {
    const real = realpathSync.native(folder);
    const { dev, ino } = statSync(real, { bigint: true });
    return isInside(real, roots) && dev === before.dev && ino === before.ino;
  };
  const check = (): void => {
    if (!isThere()) throw outside(folder, roots);
  };
  check();
  return { path: folder, check, close: async () => undefined };
}
