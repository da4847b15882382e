import { type StatsFs, statfs } from 'node:fs';

/**
 * File systems of Linux whose bytes lie in this machine: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs. Not among them are
 * network drives and what programs provide (NFS, SMB, FUSE), which may never answer, and overlays, which may be anything.
 */
const local: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994]);

/** Whether a file surely lies in this machine. Elsewhere than on Linux nobody knows. */
export function isOnLocalDisk(path: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  if (platform !== 'linux') return Promise.resolve(false);
  return new Promise((resolve) => statfs(path, (error: Error | null, found: StatsFs) => resolve(!error && local.has(found.type))));
}
