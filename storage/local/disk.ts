import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { promisify } from 'node:util';

const fsync = promisify(fs.fsync);

/**
 * The few things local storage does with folders. Looking and renaming are synchronous: they take
 * microseconds, and promises would cost several times that. Whatever waits for the disk is not.
 */
export interface Disk {
  /** Throws where it is there already or its parent is not. */
  makeFolder(path: string): void;
  list(path: string): string[];
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** When a file was last written, in milliseconds with fractions. */
  modifiedAt(path: string): number;
  /** Bytes. */
  sizeOf(path: string): number;
  /** Makes sure that a file's bytes survive a loss of power. */
  syncFile(path: string): Promise<void>;
  /** Makes sure that a folder's entries survive a loss of power. */
  syncFolder(path: string): Promise<void>;
  /** Like `syncFile` and `syncFolder`, in this thread: for a disk that answers as memory does (disk/at-once.ts). */
  syncFileNow(path: string): void;
  syncFolderNow(path: string): void;
  removeTree(path: string): Promise<void>;
  /** Writes a new file. */
  write(path: string, bytes: Uint8Array): void;
}

/** Only the flush itself waits for the disk; the rest would cost more as promises than it takes. */
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
/** Windows flushes only what is open for writing. */
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
  // Windows knows no flushing of a folder; its file systems keep their entries by themselves.
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

/** Unlike `randomBytes`, `randomUUID` draws on entropy fetched in advance. */
export const randomName = (): string => randomUUID();
