import { readdir, readFile, realpath, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The disk that stores a file, with regard to concurrent reads. */
export interface Disk {
  /** The same for all files on one disk. */
  readonly id: string;
  /** `spinning` and `network` disks are fastest with one reader; `quick` ones, which include unknown ones, have no such limit. */
  readonly kind: 'spinning' | 'network' | 'quick';
}

/** Paths where Linux describes its disks; tests use their own. */
interface DiskFacts {
  readonly sys: string;
  readonly mountinfo: string;
  readonly platform: NodeJS.Platform;
}

const ofThisMachine: DiskFacts = { sys: '/sys', mountinfo: '/proc/self/mountinfo', platform: process.platform };

/** NFS, SMB in three versions, FUSE (sshfs, rclone and the like), Ceph, 9P, AFS. */
const network: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x00c36400, 0x01021997, 0x5346414f]);

/** Virtual disks report that they spin, whatever hardware is behind them. */
const madeUp = /^x?vd/;
const makers = /^(QEMU|VMware|Msft|Google|VBOX)/i;

const unknown: Disk = { id: '', kind: 'quick' };

/** Never rejects: if the kind cannot be determined, the disk counts as quick. */
export async function diskOf(path: string, facts: DiskFacts = ofThisMachine): Promise<Disk> {
  if (facts.platform !== 'linux') return unknown;
  try {
    const { dev } = await stat(path);
    // The type is a signed number on some machines.
    if (network.has((await statfs(path)).type >>> 0)) return { id: `network ${dev}`, kind: 'network' };
    const device = await blockDevice(path, dev, facts);
    return device === null ? unknown : await diskBehind(facts.sys, device);
  } catch {
    return unknown;
  }
}

/**
 * `major:minor` of the device that stores the file; file systems over several disks, such as Btrfs, name it only in the
 * mount table.
 */
async function blockDevice(path: string, dev: number, { mountinfo }: DiskFacts): Promise<string | null> {
  if (majorOf(dev) !== 0) return numbersOf(dev);
  const source = sourceOf(await readFile(mountinfo, 'utf8'), await realpath(path));
  return source === null ? null : numbersOf((await stat(source)).rdev);
}

/** Splits device numbers as glibc does. */
const majorOf = (dev: number): number => Math.floor(dev / 256) & 0xfff;
const numbersOf = (dev: number): string => `${majorOf(dev)}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`;

/** The device mounted at a path: that of the last mount with the longest matching prefix. */
export function sourceOf(mountinfo: string, path: string): string | null {
  let found = { point: '', source: '' };
  for (const line of mountinfo.split('\n')) {
    const [before, after] = line.split(' - ');
    const point = before?.split(' ')[4]?.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
    const source = after?.split(' ')[1];
    if (!point || !source) continue;
    const above = point === '/' || path === point || path.startsWith(`${point}/`);
    if (above && point.length >= found.point.length) found = { point, source };
  }
  return found.source.startsWith('/dev/') ? found.source : null;
}

/** What the kernel reports about a block device, a partition, or a device composed of others. */
export async function diskBehind(sys: string, device: string): Promise<Disk> {
  const path = await realpath(join(sys, 'dev/block', device));
  const disk = (await textOf(join(path, 'partition'))) === null ? path : dirname(path);
  return { id: basename(disk), kind: (await spins(disk)) ? 'spinning' : 'quick' };
}

async function spins(disk: string): Promise<boolean> {
  const parts = await readdir(join(disk, 'slaves')).catch(() => []);
  for (const part of parts) {
    const path = await realpath(join(disk, 'slaves', part));
    if (await spins((await textOf(join(path, 'partition'))) === null ? path : dirname(path))) return true;
  }
  if (parts.length > 0 || madeUp.test(basename(disk))) return false;
  if (makers.test((await textOf(join(disk, 'device/vendor'))) ?? '')) return false;
  return (await textOf(join(disk, 'queue/rotational'))) === '1';
}

async function textOf(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    return null;
  }
}
