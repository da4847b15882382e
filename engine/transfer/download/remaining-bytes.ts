import { dirname, join } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { SafeRoot } from '../../folders/safe-root.ts';
import { temporaryName } from '../../folders/temporary-name.ts';
import type { Store } from '../../state/store.ts';
import type { DownloadRecord } from '../record.ts';

/** More files than are ever in progress at once; these are the first among the pending ones. */
const looked = 64;
/** Bytes, whatever the disk's own blocks are (stat(2)). */
const blockSize = 512;

/**
 * Bytes that a download will still take on its disk. Received parts already occupy space, although a part is fetched
 * again if its range did not complete.
 */
export function stillToCome(
  { files }: Pick<Store, 'files'>,
  { id, totalBytes }: DownloadRecord,
  safeRoot: SafeRoot,
  fileSystem: FileSystem = nodeFileSystem,
): number {
  let taken = files.completeBytes(id);
  for (const file of files.pending(id, 0, looked)) {
    const temporary = join(dirname(safeRoot.pathOf(file.local)), temporaryName(id, file.id));
    const found = fileSystem.lstatNow(temporary);
    if (found) taken += Math.min(file.size, found.blocks * blockSize);
  }
  return Math.max(0, totalBytes - taken);
}
