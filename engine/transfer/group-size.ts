import type { FileRecord } from './record.ts';

/** Fewer are under way in a request, so that each waits for fewer others. */
const filesAtMost = 128;

/**
 * How many files go together, from this place on: those that fit, as many in a row as one request takes.
 *
 * @param bytes of one request
 */
export function countInRow(
  files: readonly FileRecord[],
  from: number,
  { bytes, fits }: { readonly bytes: number; readonly fits: (file: FileRecord) => boolean },
): number {
  let count = 0;
  let sum = 0;
  for (let at = from; at < files.length && count < filesAtMost; at++, count++) {
    const file = files[at]!;
    if (!fits(file)) break;
    sum += file.size;
    if (sum > bytes) break;
  }
  return count;
}
