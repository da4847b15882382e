import type { ZipEntry } from './entry.ts';
import { centralHeaderSize, descriptorSize, endSize, localHeaderSize } from './records.ts';

/** The offsets of all records in a zip. They depend only on the entries, so any part of a zip can be generated alone. */
export interface ZipLayout {
  readonly entries: readonly ZipEntry[];
  /** The offset of each entry's local header; the last one is that of the central directory. */
  readonly offsets: Float64Array;
  /** The offset of each entry's header in the central directory; the last one is that of the end record. */
  readonly centralOffsets: Float64Array;
  /** Bytes. */
  readonly size: number;
}

/** Lays entries out one after another, uncompressed. */
export function layOut(entries: readonly ZipEntry[]): ZipLayout {
  const offsets = new Float64Array(entries.length + 1);
  let at = 0;
  entries.forEach((entry, index) => {
    offsets[index] = at;
    at += localHeaderSize(entry) + entry.size + descriptorSize(entry);
  });
  offsets[entries.length] = at;
  const centralOffsets = new Float64Array(entries.length + 1);
  entries.forEach((entry, index) => {
    centralOffsets[index] = at;
    at += centralHeaderSize(entry, offsets[index]!);
  });
  centralOffsets[entries.length] = at;
  return { entries, offsets, centralOffsets, size: at + endSize(entries.length, offsets[entries.length]!, at - offsets[entries.length]!) };
}

/** The last index whose offset is not beyond `at`. `offsets` ascends and begins at or below `at`. */
export function indexAt(offsets: Float64Array, at: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (offsets[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
