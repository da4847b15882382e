import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { Accel } from './nginx-accel.ts';

/**
 * The disk of a storage. Where an nginx in front reads it too, what is made there can be read by the group, as far as
 * the umask allows.
 */
export function filesFor(accel: Accel | undefined, files: FileSystem = nodeFileSystem): FileSystem {
  if (accel === undefined) return files;
  return {
    ...files,
    open: (path, flags, mode) => files.open(path, flags, mode === undefined ? mode : mode | groupMay.read),
    openNow: (path, flags, mode) => files.openNow(path, flags, mode === undefined ? mode : mode | groupMay.read),
    mkdir: (path, mode) => files.mkdir(path, mode === undefined ? mode : mode | groupMay.enter),
  };
}

const groupMay = { read: 0o040, enter: 0o050 } as const;
