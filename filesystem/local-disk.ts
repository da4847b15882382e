import { type StatsFs, statfs } from 'node:fs';

/**
 * Linux file systems with local storage: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs. Network drives and file systems
 * provided by programs (NFS, SMB, FUSE) are excluded because they may never answer, and overlays because they may be
 * anything.
 */
const local: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994]);

/** Whether a file is certainly stored on this machine. Only Linux can tell. */
export function isOnLocalDisk(path: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  if (platform !== 'linux') return Promise.resolve(false);
  return new Promise((resolve) => statfs(path, (error: Error | null, found: StatsFs) => resolve(!error && local.has(found.type))));
}
