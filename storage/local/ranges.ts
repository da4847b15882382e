import type { PartFile } from './layout.ts';

/** A range of one part file. */
export interface Stretch {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** The ranges of part files with the bytes `start` to `end` inclusive, in order. */
export function stretches(parts: readonly PartFile[], start: number, end: number): Stretch[] {
  const found: Stretch[] = [];
  let at = 0;
  for (const part of parts) {
    const from = Math.max(start, at);
    const to = Math.min(end + 1, at + part.size);
    if (to > from) found.push({ file: part.file, offset: from - at, length: to - from });
    at += part.size;
    if (at > end) break;
  }
  return found;
}
