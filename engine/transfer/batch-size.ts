import { filesPerBatch } from './concurrency/limits.ts';
import type { FileRecord } from './record.ts';

/**
 * Size of the batch that begins at this index: as many files in a row as fit in one request.
 *
 * @param bytes of one request
 */
export function batchSizeAt(
  files: readonly FileRecord[],
  from: number,
  { bytes, fits }: { readonly bytes: number; readonly fits: (file: FileRecord) => boolean },
): number {
  let count = 0;
  let sum = 0;
  for (let at = from; at < files.length && count < filesPerBatch; at++, count++) {
    const file = files[at]!;
    if (!fits(file)) break;
    sum += file.size;
    if (sum > bytes) break;
  }
  return count;
}
