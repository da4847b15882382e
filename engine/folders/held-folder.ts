import { closeSync, constants, lstatSync, openSync, readlinkSync, statSync } from 'node:fs';
import { ApiError } from '#protocol/errors.ts';
import { systemCode } from '../errors.ts';

/** A folder that was let in, for as long as it is read. */
export interface HeldFolder {
  /** By which it is read. Where the system can say it, this leads to the folder that was opened, whatever becomes of its name. */
  readonly path: string;
  /** Throws where another folder may have been read. Called when all is read, before it is told. */
  check(): void;
  close(): void;
}

export interface HoldOptions {
  /** Another way to the folder: its name in one that is held. */
  readonly by?: string;
  readonly platform?: NodeJS.Platform | undefined;
}

/** Where a path really leads; throws `path_outside` where that is not inside the allowed folders. */
type Admit = (path: string) => string;

/**
 * Opens a folder by its real path and lets it in only where what was opened is inside: somebody may have put a link in
 * its place, or in that of a folder above it, since that path was found out. Throws `path_outside`, or `path_unreadable`
 * where it is another folder; errors of the system come as they are.
 */
export function holdFolder(folder: string, admit: Admit, { by = folder, platform = process.platform }: HoldOptions = {}): HeldFolder {
  return (platform === 'linux' ? holdOpened(folder, by, admit) : null) ?? holdNamed(folder, admit);
}

const exchanged = (folder: string, cause?: unknown): ApiError =>
  new ApiError('path_unreadable', { path: folder, detail: 'another one has come in its place.' }, { cause });

/** The kernel says where an open folder lies, and lists it by its descriptor. `null` on a system without `/proc`. */
function holdOpened(folder: string, by: string, admit: Admit): HeldFolder | null {
  const fd = openFolder(folder, by, admit);
  const path = `/proc/self/fd/${fd}`;
  try {
    const real = whereIs(path);
    if (real !== null) {
      letIn(folder, real, admit);
      return { path, check: () => undefined, close: () => closeSync(fd) };
    }
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return null;
}

function openFolder(folder: string, by: string, admit: Admit): number {
  try {
    return openSync(by, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    // A real path ends in no link, unless one has come there since: that is no folder to the system.
    const isLink = systemCode(cause) === 'ENOTDIR' && lstatSync(by, { throwIfNoEntry: false })?.isSymbolicLink();
    if (!isLink) throw cause;
    admit(folder);
    throw exchanged(folder, cause);
  }
}

function whereIs(descriptor: string): string | null {
  try {
    return readlinkSync(descriptor);
  } catch {
    return null;
  }
}

/** Says of what lies outside no more than the path that was asked for. */
function letIn(folder: string, real: string, admit: Admit): void {
  try {
    if (admit(real) === real) return;
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.error !== 'path_outside') throw exchanged(folder, cause);
    throw new ApiError('path_outside', { ...cause.details, path: folder }, { cause });
  }
  throw exchanged(folder);
}

/** Elsewhere it is compared before and after: a folder that was exchanged meanwhile is found out unless it was put back. */
function holdNamed(folder: string, admit: Admit): HeldFolder {
  const before = statSync(folder, { bigint: true });
  const check = (): void => {
    const { dev, ino } = statSync(admit(folder), { bigint: true });
    if (dev !== before.dev || ino !== before.ino) throw exchanged(folder);
  };
  check();
  return { path: folder, check, close: () => undefined };
}
