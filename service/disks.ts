import { stat, statfs } from 'node:fs/promises';
import type { ServiceFacts } from './operator/ports.ts';

/** A disk of this machine. Sizes in bytes; `free` as for users without special rights. */
export interface DiskRoom {
  /** What lies on it. */
  readonly holds: ('data' | 'objects')[];
  readonly total: number;
  readonly free: number;
}

/** Each disk once, whatever lies on it. */
export async function readDisks({ dataDir, objectsDir }: Pick<ServiceFacts, 'dataDir' | 'objectsDir'>): Promise<DiskRoom[]> {
  const folders = [['data', dataDir] as const, ...(objectsDir === null ? [] : [['objects', objectsDir] as const])];
  const disks = new Map<number, DiskRoom>();
  for (const [what, folder] of folders) {
    const [{ dev }, { blocks, bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
    const holds = [...(disks.get(dev)?.holds ?? []), what];
    disks.set(dev, { holds, total: blocks * bsize, free: bavail * bsize });
  }
  return [...disks.values()];
}
