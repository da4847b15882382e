import type { Stats } from 'node:fs';

/** What tells that a file is still the one that was looked at. Kept in the state, compared before and after reading. */
export interface FileStamp {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds, with their fraction. */
  readonly mtimeMs: number;
  readonly inode: number;
}

export function stampOf(stats: Stats): FileStamp {
  return { size: stats.size, mtimeMs: stats.mtimeMs, inode: stats.ino };
}

export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.inode === b.inode;
}
