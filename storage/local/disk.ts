import { randomUUID } from 'node:crypto';
import { openFlags } from '#filesystem/flags.ts';
import { writeFullyNow } from '#filesystem/fully.ts';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { statOrThrow } from '#filesystem/system-error.ts';

/**
 * The folder operations of local storage. Lookups and renames are synchronous: they take microseconds, and promises
 * would cost several times that. All that waits for the disk is asynchronous.
 */
export interface Disk {
  /** Throws where the folder already exists or its parent does not. */
  makeFolder(path: string): void;
  /** A folder with its missing parents; it may exist. */
  makeFolders(path: string): void;
  list(path: string): string[];
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Modification time of a file, in milliseconds with fractions. */
  modifiedAt(path: string): number;
  /** When a file or folder was changed, made or moved; in milliseconds. */
  changedAt(path: string): number;
  /** Bytes. */
  sizeOf(path: string): number;
  /** Flushes a file's bytes, so that they survive a power failure. */
  syncFile(path: string): Promise<void>;
  /** Flushes a folder's entries, so that they survive a power failure. */
  syncFolder(path: string): Promise<void>;
  /** Like `syncFile` and `syncFolder`, but synchronous: for a disk that is as fast as memory (filesystem/sync-when-fast.ts). */
  syncFileNow(path: string): void;
  syncFolderNow(path: string): void;
  removeTree(path: string): Promise<void>;
  /** Writes a new file. */
  write(path: string, bytes: Uint8Array): void;
}

const windows = process.platform === 'win32';

/** Only the flush itself waits for the disk. The other calls are faster than a promise for each. */
async function sync(files: FileSystem, path: string, flags: number): Promise<void> {
  const file = files.openNow(path, flags);
  try {
    await file.flush();
  } finally {
    file.closeNow();
  }
}

function syncNow(files: FileSystem, path: string, flags: number): void {
  const file = files.openNow(path, flags);
  try {
    file.flushNow();
  } finally {
    file.closeNow();
  }
}

export const createDisk = (files: FileSystem = nodeFileSystem): Disk => ({
  makeFolder: (path) => files.mkdir(path, 0o700),
  makeFolders: (path) => makeDirs(path, 0o700, files),
  list: (path) => files.list(path),
  rename: (from, to) => files.rename(from, to),
  remove: (path) => files.removeNow(path),
  sizeOf: (path) => statOrThrow(files, path).size,
  modifiedAt: (path) => statOrThrow(files, path).mtimeMs,
  changedAt(path) {
    const { mtimeMs, ctimeMs } = statOrThrow(files, path);
    return Math.max(mtimeMs, ctimeMs);
  },
  syncFile: (path) => sync(files, path, openFlags.flush),
  syncFileNow: (path) => syncNow(files, path, openFlags.flush),
  // Windows cannot flush a folder; its file systems keep their entries safe themselves.
  async syncFolder(path) {
    if (!windows) await sync(files, path, openFlags.read);
  },
  syncFolderNow(path) {
    if (!windows) syncNow(files, path, openFlags.read);
  },
  removeTree: (path) => files.removeTree(path),
  write(path, bytes) {
    const file = files.openNow(path, openFlags.create, 0o600);
    try {
      writeFullyNow(file, [bytes], 0);
    } finally {
      file.closeNow();
    }
  },
});

/** Faster than `randomBytes`: `randomUUID` uses entropy that was fetched in advance. */
export const randomName = (): string => randomUUID();
