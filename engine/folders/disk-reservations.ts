import { TransferError } from '#client/errors.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { statOrThrow } from '#filesystem/system-error.ts';
import { targetFailure } from '../io/disk-failures.ts';

/** Free space of a disk. */
interface Disk {
  /** The same for all folders on it. */
  readonly id: number;
  /** Bytes; `null` if unknown, as on some network drives. */
  readonly free: number | null;
}

/** Disk space reserved for running downloads of this agent, so that two of them do not count on the same space. */
export interface DiskReservations {
  /**
   * Reserves space on the disk of `root` for the remaining bytes of a download: `remaining` is called again whenever
   * another download reserves there. Throws `disk_full` with the missing amount if there is too little; then nothing is
   * reserved.
   */
  reserve(id: string, root: string, remaining: () => number): void;
  /** Bytes that the disk of `root` lacks for so many more, beside what is reserved on it; 0 where they fit. */
  missing(root: string, bytes: number): number;
  release(id: string): void;
}

export function createDiskReservations(freeSpaceOf: (root: string) => Disk = freeSpaceBy(nodeFileSystem)): DiskReservations {
  const reserved = new Map<string, { readonly disk: number; readonly remaining: () => number }>();
  const look = (root: string, bytes: number) => {
    const { id: disk, free } = freeSpaceOf(root);
    const promised = [...reserved.values()].filter((other) => other.disk === disk).reduce((sum, other) => sum + other.remaining(), 0);
    return { disk, promised, missing: free === null ? 0 : Math.max(0, bytes + promised - free) };
  };
  return {
    reserve(id, root, remaining) {
      reserved.delete(id);
      const { disk, promised, missing } = look(root, remaining());
      if (missing > 0) throw diskFull(root, missing, promised);
      reserved.set(id, { disk, remaining });
    },
    missing: (root, bytes) => look(root, bytes).missing,
    release: (id) => void reserved.delete(id),
  };
}

function diskFull(root: string, missing: number, promised: number): TransferError {
  const others = promised > 0 ? ` beside the ${promised} that other downloads will fill` : '';
  return new TransferError(
    'disk_full',
    `The disk at ${root} has too little room: ${missing} more bytes are needed${others}. Free some; work goes on by itself.`,
  );
}

/** Asks the disks. */
export function freeSpaceBy(fileSystem: FileSystem): (root: string) => Disk {
  return (root) => {
    try {
      const { free } = fileSystem.space(root);
      return { id: statOrThrow(fileSystem, root).dev, free };
    } catch (cause) {
      throw targetFailure(root, cause);
    }
  };
}
