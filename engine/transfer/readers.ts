import pLimit from 'p-limit';
import type { Gate } from '#client/ports.ts';
import { type Disk, diskOf } from '../io/disk-kind.ts';

/** How many may read from a disk at once, over all transfers. */
export interface Readers {
  /** Runs work that reads from a file in bulk when its disk can bear it. */
  read<T>(file: { readonly path: string }, work: () => Promise<T>): Promise<T>;
}

/** A spinning disk loses its time between two places, a network drive between two requests: one reader each. */
export function createReaders(find: (path: string) => Promise<Disk> = diskOf): Readers {
  const gates = new Map<string, Gate>();
  const known = new WeakMap<object, Promise<Gate | null>>();

  async function gateFor(path: string): Promise<Gate | null> {
    const { id, kind } = await find(path);
    if (kind === 'quick') return null;
    const gate = gates.get(id) ?? pLimit(1);
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
