import type { FileStats } from '#filesystem/port.ts';

/** Tells the folder at a path from another one that comes in its place, such as the mount point of a drive that has gone. */
export interface FolderIdentity {
  /** Device number of its file system. A drive may get another one each time it is connected. */
  readonly dev: number;
  readonly ino: number;
  /** When it was made, in milliseconds since 1970; 0 if unknown. */
  readonly bornAt: number;
}

export function folderIdentityOf({ dev, ino, birthtimeMs, ctimeMs }: FileStats): FolderIdentity {
  // Where the system tells no time of birth, Node may report that of the last change.
  return { dev, ino, bornAt: birthtimeMs === ctimeMs ? 0 : birthtimeMs };
}

/**
 * Whether both are certainly one folder. The time of birth goes before the device: it stays when a drive is connected
 * again under another number, and differs between two drives that get the same number one after the other, whose
 * uppermost folders mostly have the same inode. False does not say that it is another one: some file systems number
 * their folders at each mount (FAT), or date their uppermost one by it (exFAT).
 */
export function isSameFolder(one: FolderIdentity, other: FolderIdentity): boolean {
  if (one.ino !== other.ino) return false;
  return one.bornAt !== 0 && other.bornAt !== 0 ? one.bornAt === other.bornAt : one.dev === other.dev;
}
