import type { FileSystem } from '#filesystem/port.ts';
import { mountTable } from './mount-points.ts';

/** File systems without files of persons, and those that come and go by themselves. */
const passedOver =
  /^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fuse\.gvfsd-fuse|fuse\.portal|fusectl|hugetlbfs|mqueue|nsfs|overlay|proc|pstore|ramfs|rpc_pipefs|securityfs|squashfs|sysfs|tracefs)$/;
const mostMounts = 64;

/** Where other drives are mounted below a folder, by real paths. Only Linux tells; elsewhere there are none. */
export async function mountsBelow(folder: string, fileSystem: FileSystem, platform = process.platform): Promise<string[]> {
  const within = folder === '/' ? folder : `${folder}/`;
  const below = (await mountTable(fileSystem, platform)).filter(
    ({ path, type }) => path.startsWith(within) && path !== folder && !passedOver.test(type),
  );
  return [...new Set(below.map(({ path }) => path))].slice(0, mostMounts);
}
