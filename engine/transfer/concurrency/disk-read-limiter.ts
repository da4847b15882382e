import pLimit from 'p-limit';
import type { Gate } from '#client/ports.ts';
import { type Disk, diskOf } from '#filesystem/disk-kind.ts';
import { readersPerSlowDisk } from './limits.ts';

/** Limits concurrent reads of a disk, over all transfers. */
export interface DiskReadLimiter {
  /** Runs work that reads much of a file, when its disk has capacity. */
  read<T>(file: { readonly path: string }, work: () => Promise<T>): Promise<T>;
}

/** Disks that spin and network drives get `readersPerSlowDisk` each; others have no limit. */
export function createDiskReadLimiter(find: (path: string) => Promise<Disk> = diskOf): DiskReadLimiter {
  const gates = new Map<string, Gate>();
  const known = new WeakMap<object, Promise<Gate | null>>();

  async function gateFor(path: string): Promise<Gate | null> {
    const { id, kind } = await find(path);
    if (kind === 'quick') return null;
    const gate = gates.get(id) ?? pLimit(readersPerSlowDisk);
    gates.set(id, gate);
    return gate;
  }

  return {
    async read(file, work) {
      const finding = known.get(file) ?? gateFor(file.path);
      known.set(file, finding);
      const gate = await finding;
      return gate ? gate(work) : work();
    },
  };
}
