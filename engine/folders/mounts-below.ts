import { openFlags } from '#filesystem/flags.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { closeRead } from './close-read.ts';

/** File systems without files of persons, and those that come and go by themselves. */
const passedOver =
  /^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fuse\.gvfsd-fuse|fuse\.portal|fusectl|hugetlbfs|mqueue|nsfs|overlay|proc|pstore|ramfs|rpc_pipefs|securityfs|squashfs|sysfs|tracefs)$/;
const mostMounts = 64;
const blockBytes = 64 * 1024;

/** Where other drives are mounted below a folder, by real paths. Only Linux tells; elsewhere there are none. */
export async function mountsBelow(folder: string, fileSystem: FileSystem, platform = process.platform): Promise<string[]> {
  if (platform !== 'linux') return [];
  const within = folder === '/' ? folder : `${folder}/`;
  const paths = (await mountInfo(fileSystem)).split('\n').flatMap((line) => {
    // proc(5): the path is the fifth field, the type the first after a dash.
    const [before = '', after = ''] = line.split(' - ');
    const path = (before.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return path.startsWith(within) && path !== folder && !passedOver.test(after.split(' ')[0] ?? '') ? [path] : [];
  });
  return [...new Set(paths)].slice(0, mostMounts);
}

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
