import { join, parse, sep } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { closeRead } from './close-read.ts';

export interface MountPoint {
  readonly path: string;
  /** The file system, as the kernel names it: `ext4`, `nfs4`, `fuse.sshfs` … */
  readonly type: string;
}

const blockBytes = 64 * 1024;

/** What is mounted where, as Linux tells it (proc(5)); nothing elsewhere. */
export async function mountTable(fileSystem: FileSystem, platform = process.platform): Promise<MountPoint[]> {
  if (platform !== 'linux') return [];
  return (await mountInfo(fileSystem)).split('\n').flatMap((line) => {
    // The path is the fifth field, the type the first after a dash.
    const [before = '', after = ''] = line.split(' - ');
    const path = (before.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return path === '' ? [] : [{ path, type: after.split(' ')[0] ?? '' }];
  });
}

/** Where disks are mounted, each once. */
export const mountPoints = async (fileSystem: FileSystem, platform = process.platform): Promise<string[]> => [
  ...new Set((await mountTable(fileSystem, platform)).map(({ path }) => path)),
];

/** Where the disk of this path is mounted. Elsewhere than on Linux by its name: a volume, a drive's letter, a share. */
export function mountOf(path: string, mounts: readonly string[]): string {
  const { root } = parse(path);
  if (mounts.length === 0) {
    const [first = '', second = ''] = path.slice(root.length).split(sep);
    return first === 'Volumes' && second ? join(root, first, second) : root;
  }
  return mounts.reduce((found, mount) => (mount.length > found.length && isBelow(path, mount) ? mount : found), root);
}

const isBelow = (path: string, mount: string): boolean => path === mount || path.startsWith(mount.endsWith(sep) ? mount : mount + sep);

async function mountInfo(fileSystem: FileSystem): Promise<string> {
  try {
    const file = await fileSystem.open('/proc/self/mountinfo', openFlags.read);
    try {
      const blocks: Buffer[] = [];
      for (let position = 0; ; ) {
        const block = Buffer.alloc(blockBytes);
        const count = await file.read(block, 0, blockBytes, position);
        if (count === 0) return Buffer.concat(blocks).toString();
        blocks.push(block.subarray(0, count));
        position += count;
      }
    } finally {
      await closeRead(file);
    }
  } catch {
    return '';
  }
}
