import { join } from 'node:path';
import { accessModes, openFlags } from '#filesystem/flags.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { temporaryPrefix } from '../../folders/temporary-name.ts';
import { markerName } from '../marker-name.ts';
import { wordsFor } from './disk-words.ts';
import { readMarker } from './marker-file.ts';
import type { MountState } from './messages.ts';

/** Less free space than this is a full disk: the smallest delivery needs its file, folders and their records. */
const leastFree = 1024 * 1024;

export interface ProbedMount {
  readonly mountId: string;
  readonly root: string;
  readonly readOnly: boolean;
  /** Whether its root has the marker. */
  readonly marked: boolean;
}

const offline = (reason: string): MountState => ({ state: 'offline', reason });

/**
 * Looks whether a mount's folder is there, is the right one, and takes files (contract/gateways.md §2).
 *
 * @param writes whether a file is written too: some disks only then say that they take none
 */
export function probe({ mountId, root, readOnly, marked }: ProbedMount, fileSystem: FileSystem, writes: boolean): MountState {
  try {
    const found = fileSystem.stat(root);
    if (!found) return offline(`The folder ${root} is not there. Connect its drive, or put the folder back.`);
    if (!found.isDirectory()) return offline(`${root} is not a folder any more.`);
    const marker = marked ? readMarker(root, fileSystem) : mountId;
    if (marker === null) {
      return offline(
        `The folder ${root} has no file ${markerName}: its drive is probably not mounted. Mount it; if the folder was cleared on purpose, choose it anew for this mount.`,
      );
    }
    if (marker !== mountId)
      return offline(`The folder ${root} belongs to another mount (${markerName}). Another drive may be mounted there.`);
    const { free } = fileSystem.space(root);
    if (readOnly) {
      if (!marked && fileSystem.list(root).length === 0) return offline(`The folder ${root} is empty: its drive is probably not mounted.`);
      fileSystem.access(root, accessModes.read | accessModes.enter);
      return { state: 'ok', freeBytes: free };
    }
    fileSystem.access(root, accessModes.write | accessModes.enter);
    if (free !== null && free < leastFree) return offline(`The disk of ${root} is full. Make room on it.`);
    if (writes) tryToWrite(root, mountId, fileSystem);
    return { state: 'ok', freeBytes: free };
  } catch (cause) {
    return offline(wordsFor(root, cause));
  }
}

/** The name of a file that is written for a moment; uploads and lists leave it out. */
export function scratchName(mountId: string, purpose: string): string {
  return `${temporaryPrefix}${mountId.slice(-12)}-${purpose}.part`;
}

function tryToWrite(root: string, mountId: string, fileSystem: FileSystem): void {
  const path = join(root, scratchName(mountId, 'probe'));
  fileSystem.removeNow(path);
  const file = fileSystem.openNow(path, openFlags.create);
  try {
    file.writeNow([Buffer.alloc(1)], 0);
  } finally {
    file.closeNow();
    fileSystem.removeNow(path);
  }
}
