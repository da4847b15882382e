import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { promisify } from 'node:util';

const fsync = promisify(fs.fsync);

/**
 * The folder operations of local storage. Lookups and renames are synchronous: they take microseconds, and promises
 * would cost several times that. All that waits for the disk is asynchronous.
 */
export interface Disk {
  /** Throws where the folder already exists or its parent does not. */
  makeFolder(path: string): void;
  list(path: string): string[];
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Modification time of a file, in milliseconds with fractions. */
  modifiedAt(path: string): number;
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

/** Only the flush itself waits for the disk. The other calls are faster than a promise for each. */
async function sync(path: string, flags: string): Promise<void> {
  const file = fs.openSync(path, flags);
  try {
    await fsync(file);
  } finally {
    fs.closeSync(file);
  }
}

function syncNow(path: string, flags: string): void {
  const file = fs.openSync(path, flags);
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

const windows = process.platform === 'win32';
/** Windows flushes only files that are open for writing. */
const fileFlags = windows ? 'r+' : 'r';

export const nodeDisk: Disk = {
  makeFolder: (path) => fs.mkdirSync(path, { mode: 0o700 }),
  list: (path) => fs.readdirSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  remove: (path) => fs.rmSync(path, { force: true }),
  sizeOf: (path) => fs.statSync(path).size,
  modifiedAt: (path) => fs.statSync(path).mtimeMs,
  syncFile: (path) => sync(path, fileFlags),
  syncFileNow: (path) => syncNow(path, fileFlags),
  // Windows cannot flush a folder; its file systems keep their entries safe themselves.
  async syncFolder(path) {
    if (!windows) await sync(path, 'r');
  },
  syncFolderNow(path) {
    if (!windows) syncNow(path, 'r');
  },
  removeTree: (path) => fs.promises.rm(path, { recursive: true, force: true }),
  write(path, bytes) {
    fs.writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
  },
};

/** Faster than `randomBytes`: `randomUUID` uses entropy that was fetched in advance. */
export const randomName = (): string => randomUUID();
