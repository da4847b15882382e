import type { FileStats } from '#filesystem/port.ts';

/** Identifies a file as unchanged since the scan. It is stored in the state, and compared before and after reading. */
export interface FileStamp {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds, with their fraction. */
  readonly mtimeMs: number;
  /** `device:inode`. */
  readonly inode: string;
}

export function stampOf(stats: FileStats): FileStamp {
  return { size: stats.size, mtimeMs: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` };
}

/** The device number is ignored: after a restart or a remount it may differ for the same file. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && sameFile(a, b);
}

/** Whether it is the same file, and has not become shorter. */
export function growsFrom(before: FileStamp, now: FileStamp): boolean {
  return sameFile(before, now) && now.size >= before.size;
}

export function sameFile(a: Pick<FileStamp, 'inode'>, b: Pick<FileStamp, 'inode'>): boolean {
  return withoutDevice(a.inode) === withoutDevice(b.inode);
}

function withoutDevice(inode: string): string {
  return inode.slice(inode.lastIndexOf(':') + 1);
}
