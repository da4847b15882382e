import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDiskReadLimiter } from '#engine/transfer/concurrency/disk-read-limiter.ts';
import { diskBehind, diskOf, sourceOf } from '#filesystem/disk-kind.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof diskFolder>>;
beforeEach(async () => {
  folder = await diskFolder();
  mkdirSync(join(folder.path, 'dev/block'), { recursive: true });
});
afterEach(() => folder.remove());

const file = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), `${text}\n`);
};
/** A block device as the kernel shows it. */
function disk(numbers: string, path: string, facts: { rotational: string; vendor?: string; slaves?: string[] }): void {
  file(`devices/${path}/queue/rotational`, facts.rotational);
  if (facts.vendor) file(`devices/${path}/device/vendor`, facts.vendor);
  for (const slave of facts.slaves ?? []) {
    mkdirSync(join(folder.path, 'devices', path, 'slaves'), { recursive: true });
    symlinkSync(join(folder.path, 'devices', slave), join(folder.path, 'devices', path, 'slaves', slave.split('/').at(-1)!));
  }
  symlinkSync(join(folder.path, 'devices', path), join(folder.path, 'dev/block', numbers));
}
function partition(numbers: string, path: string): void {
  file(`devices/${path}/partition`, '1');
  symlinkSync(join(folder.path, 'devices', path), join(folder.path, 'dev/block', numbers));
}

test('a disk says whether it spins; a partition lies on it; a made-up disk knows nothing', async () => {
  disk('8:0', 'pci/sda', { rotational: '1', vendor: 'ATA     ' });
  partition('8:1', 'pci/sda/sda1');
  disk('8:16', 'pci/sdb', { rotational: '0', vendor: 'ATA     ' });
  disk('8:32', 'pci/sdc', { rotational: '1', vendor: 'QEMU    ' });
  disk('254:0', 'virtio/vda', { rotational: '1' });
  disk('259:0', 'pci/nvme0n1', { rotational: '0' });
  const kinds = await Promise.all(['8:0', '8:1', '8:16', '8:32', '254:0', '259:0'].map((one) => diskBehind(folder.path, one)));
  expect(kinds).toEqual([
    { id: 'sda', kind: 'spinning' },
    { id: 'sda', kind: 'spinning' },
    { id: 'sdb', kind: 'quick' },
    { id: 'sdc', kind: 'quick' },
    { id: 'vda', kind: 'quick' },
    { id: 'nvme0n1', kind: 'quick' },
  ]);
});

test('what is made of other disks is as slow as the slowest, and no slower', async () => {
  disk('8:0', 'pci/sda', { rotational: '1', vendor: 'ATA' });
  partition('8:1', 'pci/sda/sda1');
  disk('8:16', 'pci/sdb', { rotational: '0', vendor: 'ATA' });
  disk('254:0', 'virtio/vda', { rotational: '1' });
  disk('253:0', 'virtual/dm-0', { rotational: '1', slaves: ['pci/sda/sda1', 'pci/sdb'] });
  disk('253:1', 'virtual/dm-1', { rotational: '1', slaves: ['virtio/vda'] });
  expect(await diskBehind(folder.path, '253:0')).toEqual({ id: 'dm-0', kind: 'spinning' });
  expect(await diskBehind(folder.path, '253:1')).toEqual({ id: 'dm-1', kind: 'quick' });
});

test('the device that is mounted above a path', () => {
  const mounts = [
    '27 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw',
    '30 27 0:40 /@home /home rw,relatime shared:1 - btrfs /dev/sdb2 rw',
    '31 30 0:41 / /home/mia/My\\040Drive rw - btrfs /dev/sdc1 rw',
    '32 27 0:42 / /mnt/over rw - overlay overlay rw',
    '33 27 0:43 / /mnt/over rw - btrfs /dev/sdd1 rw',
  ].join('\n');
  const of = (path: string) => sourceOf(mounts, path);
  expect([of('/etc/hosts'), of('/home/x'), of('/homes'), of('/home/mia/My Drive/a'), of('/mnt/over/a')]).toEqual([
    '/dev/sda1',
    '/dev/sdb2',
    '/dev/sda1',
    '/dev/sdc1',
    '/dev/sdd1',
  ]);
  expect(sourceOf(mounts.split('\n').slice(0, 4).join('\n'), '/mnt/over/a')).toBeNull();
});

test('where it cannot be found out a disk counts as quick', async () => {
  const facts = { sys: folder.path, mountinfo: join(folder.path, 'none'), platform: 'linux' } as const;
  expect(await diskOf('/nowhere/at/all', facts)).toEqual({ id: '', kind: 'quick' });
  expect(await diskOf(folder.path, facts)).toEqual({ id: '', kind: 'quick' });
  expect(await diskOf(folder.path, { ...facts, platform: 'darwin' })).toEqual({ id: '', kind: 'quick' });
});

test('one reader for each spinning or network disk, over all transfers; a quick one has no bound', async () => {
  const kinds = { s: 'spinning', n: 'network', q: 'quick' } as const;
  const limiter = createDiskReadLimiter(async (path) => ({ id: path[1]!, kind: kinds[path[1] as 's' | 'n' | 'q'] }));
  const underWay: Record<string, number> = { s: 0, n: 0, q: 0 };
  const most: Record<string, number> = { s: 0, n: 0, q: 0 };
  const work = (path: string) =>
    limiter.read({ path }, async () => {
      const id = path[1]!;
      underWay[id]!++;
      most[id] = Math.max(most[id]!, underWay[id]!);
      await new Promise((resolve) => setImmediate(resolve));
      underWay[id]!--;
      if (path === '/s/2') throw new Error('unreadable');
    });
  const outcomes = await Promise.allSettled(['/s/1', '/s/2', '/s/3', '/n/1', '/n/2', '/q/1', '/q/2', '/q/3'].map(work));
  expect(most).toEqual({ s: 1, n: 1, q: 3 });
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true, true, true, true]);
});
