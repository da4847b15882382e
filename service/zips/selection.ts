import type { FileRange } from '#protocol/hosted/zips.ts';

/**
 * A choice among a package's records, as text for the address of a zip: by their positions in the list of files, which
 * never changes once the package is finalized. Pairs of numbers (records left out before a range, and its length), each
 * as a base-128 varint, in base64url. So a folder is a few characters, however many files are in it.
 */
export function encodeRanges(ranges: readonly FileRange[]): string {
  const bytes: number[] = [];
  let end = 0;
  for (const { first, last } of ranges) {
    pushVarint(bytes, first - end);
    pushVarint(bytes, last - first + 1);
    end = last + 1;
  }
  return Buffer.from(bytes).toString('base64url');
}

/** The ranges of a text that `encodeRanges` made. */
export function decodeRanges(text: string): FileRange[] {
  const bytes = Buffer.from(text, 'base64url');
  const ranges: FileRange[] = [];
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at]!;
      at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  for (let end = 0; at < bytes.length; ) {
    const first = end + next();
    end = first + next();
    ranges.push({ first, last: end - 1 });
  }
  return ranges;
}

/** Beyond 32 bits, where shifts would not do. */
function pushVarint(bytes: number[], value: number): void {
  while (value >= 128) {
    bytes.push((value % 128) | 0x80);
    value = Math.floor(value / 128);
  }
  bytes.push(value);
}

/** Why ranges cannot be used; null where they can. `records`: how many the list has. */
export function rangesFault(ranges: readonly FileRange[], records: number): string | null {
  let end = 0;
  for (const [index, { first, last }] of ranges.entries()) {
    if (first < end) return `ranges[${index}]: ranges must ascend and must not overlap.`;
    if (last < first) return `ranges[${index}]: last comes before first.`;
    if (last >= records) return `ranges[${index}]: the list has ${records} records, zips not counted.`;
    end = last + 1;
  }
  return null;
}

/** The positions in ranges, of a list of this length. */
export function positionsIn(ranges: readonly FileRange[], records: number): number[] {
  const positions: number[] = [];
  for (const { first, last } of ranges) for (let at = first; at <= last && at < records; at += 1) positions.push(at);
  return positions;
}
