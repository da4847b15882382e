import type { Stats } from 'node:fs';

/** What tells that a file is still the one that was looked at. Kept in the state, compared before and after reading. */
export interface FileStamp {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds, with their fraction. */
  readonly mtimeMs: number;
  /** `device:inode`. */
  readonly inode: string;
}

export function stampOf(stats: Stats): FileStamp {
  return { size: stats.size, mtimeMs: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` };
}

/** The device's number is left out: it may be another one after a restart or a remount, and the file the same. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && withoutDevice(a.inode) === withoutDevice(b.inode);
}

function withoutDevice(inode: string): string {
  return inode.slice(inode.lastIndexOf(':') + 1);
}
