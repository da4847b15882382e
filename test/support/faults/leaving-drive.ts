import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type FuseMount, fuseMount, isMounted, mount, noFuse, noMounts, unmount } from '../system/mounts.ts';
import { eventually } from '../system/processes.ts';

/** `folder` is renamed, the others are unmounted. */
export type DriveKind = 'folder' | 'bind' | 'tmpfs' | 'fuse';

/** What this machine can do, each of which takes deliveries; and `fuse`, which does not. */
export const deliverableDrives: readonly DriveKind[] = noMounts === '' ? ['folder', 'bind', 'tmpfs'] : ['folder'];
export const collectableDrives: readonly DriveKind[] = noFuse === '' ? [...deliverableDrives, 'fuse'] : deliverableDrives;

/** A folder as a NAS gives it: it goes in the middle of anything, and comes back. */
export interface LeavingDrive {
  readonly kind: DriveKind;
  /** Where it is while it is there. */
  readonly root: string;
  /** Where what it holds is always seen. */
  readonly disk: string;
  /** @param leavesFolder whether an empty folder is at its place meanwhile; a mountpoint always is */
  leave(leavesFolder: boolean): void;
  /** Fails where somebody has written at its place meanwhile. */
  comeBack(): Promise<void>;
  end(): void;
}

export async function startDrive(kind: DriveKind, own: string, name: string): Promise<LeavingDrive> {
  const root = join(own, name);
  const disk = kind === 'folder' ? root : join(own, `${name}-disk`);
  mkdirSync(disk);
  if (kind !== 'folder') mkdirSync(root);
  if (kind === 'tmpfs') mount('-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk);
  let fuse: FuseMount | null = null;
  const appear = async (): Promise<void> => {
    if (kind === 'bind' || kind === 'tmpfs') mount('--bind', disk, root);
    if (kind === 'fuse') {
      fuse = fuseMount(disk, root, join(own, `${name}-cache`));
      await eventually(`${root} is mounted`, async () => isMounted(root));
    }
  };
  await appear();
  return {
    kind,
    root,
    disk,
    leave(leavesFolder) {
      if (kind === 'folder') {
        renameSync(root, `${root}-away`);
        if (leavesFolder) mkdirSync(root);
      } else if (kind === 'fuse') {
        // Its end leaves a mountpoint that answers with ENOTCONN, until it is unmounted.
        fuse?.kill('SIGKILL');
        if (leavesFolder) unmount(root);
      } else unmount(root);
    },
    async comeBack() {
      if (kind === 'fuse') fuse?.end();
      if (kind !== 'folder') expect(readdirSync(root), 'where a drive was').toEqual([]);
      else {
        if (existsSync(root)) {
          expect(readdirSync(root), 'where a folder was').toEqual([]);
          rmdirSync(root);
        }
        renameSync(`${root}-away`, root);
      }
      await appear();
    },
    end() {
      fuse?.end();
      if (kind !== 'folder') unmount(root);
      if (kind === 'tmpfs') unmount(disk);
    },
  };
}
