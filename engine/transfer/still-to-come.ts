import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Store } from '../state/store.ts';
import type { Fence } from './fence.ts';
import type { DownloadRecord } from './record.ts';
import { temporaryName } from './temporary-name.ts';

/** More than are ever under way at once; those that are come first among the pending. */
const looked = 64;
/** Bytes, whatever the disk's own blocks are (stat(2)). */
const blockSize = 512;

/**
 * Bytes that a download will yet take of its disk. What was received in part takes its room already, although
 * it has to come again where its range did not get through.
 */
export function stillToCome({ files }: Pick<Store, 'files'>, { id, totalBytes }: DownloadRecord, fence: Fence): number {
  let taken = files.completeBytes(id);
  for (const file of files.pending(id, 0, looked)) {
    const temporary = join(dirname(fence.place(file.local)), temporaryName(id, file.id));
    const found = lstatSync(temporary, { throwIfNoEntry: false });
    if (found) taken += Math.min(file.size, found.blocks * blockSize);
  }
  return Math.max(0, totalBytes - taken);
}
