import { blake3 } from '@napi-rs/blake-hash';

/**
 * A segment: parts of many uploads in one file.
 *
 *     the parts' bytes, without anything between them
 *     index: JSON, for each part [key, upload id, offset, length, BLAKE3 in hex]
 *     footer: BLAKE3 over the segment's id and the index, the index's length, a version, a magic
 *
 * It is written at once and never changed. The footer comes last, so a file that was cut off anywhere has none. Nobody
 * knows a segment's id before it is written, so no bytes of a part can pass for a footer.
 */

/** A part in a segment. `offset` and `length` in bytes. */
export interface PackedPart {
  readonly key: string;
  readonly uploadId: string;
  readonly offset: number;
  readonly length: number;
  /** BLAKE3 of its bytes. */
  readonly hex: string;
}

/** Limit of the parts' bytes in a segment. */
export const segmentBytes = 8 * 1024 * 1024;

const digestSize = 32;
const magic = Buffer.from('LSSEGMNT');
const version = 1;
const footerSize = digestSize + 4 + 4 + magic.length;
/** Bytes from the end that hold the index of some hundred parts, so that one read is mostly enough. */
export const usualTail = 64 * 1024;

const digestOf = (segment: string, index: Buffer): Buffer => blake3(Buffer.concat([Buffer.from(segment, 'latin1'), index]));

/** What follows the parts' bytes. */
export function segmentTail(segment: string, parts: readonly PackedPart[]): Buffer {
  const index = Buffer.from(JSON.stringify(parts.map(({ key, uploadId, offset, length, hex }) => [key, uploadId, offset, length, hex])));
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(index.length, 0);
  numbers.writeUInt32LE(version, 4);
  return Buffer.concat([index, digestOf(segment, index), numbers, magic]);
}

/**
 * The parts of a segment, ascending by offset, from the end of its bytes; `null` where it is not whole, and the number of
 * bytes that have to be read from its end where these are too few.
 *
 * @param size bytes of the whole segment
 */
export function parseSegmentTail(segment: string, tail: Buffer, size: number): PackedPart[] | number | null {
  if (tail.length < footerSize || !tail.subarray(-magic.length).equals(magic)) return null;
  if (tail.readUInt32LE(tail.length - magic.length - 4) !== version) return null;
  const indexLength = tail.readUInt32LE(tail.length - magic.length - 8);
  if (indexLength + footerSize > size) return null;
  if (indexLength + footerSize > tail.length) return indexLength + footerSize;
  const indexEnd = tail.length - footerSize;
  const index = tail.subarray(indexEnd - indexLength, indexEnd);
  if (!digestOf(segment, index).equals(tail.subarray(indexEnd, indexEnd + digestSize))) return null;
  const parts = (JSON.parse(index.toString('utf8')) as [string, string, number, number, string][]).map(
    ([key, uploadId, offset, length, hex]): PackedPart => ({ key, uploadId, offset, length, hex }),
  );
  const last = parts.at(-1);
  return last && last.offset + last.length + indexLength + footerSize === size ? parts : null;
}

/** The part of a segment at a place; `undefined` where there is none. `parts` ascend by offset. */
export function partAt(parts: readonly PackedPart[], offset: number, length: number): PackedPart | undefined {
  for (let at = firstFrom(parts, offset); parts[at]?.offset === offset; at += 1) if (parts[at]!.length === length) return parts[at]!;
  return undefined;
}

/** The index of the first part from `offset` on. */
function firstFrom(parts: readonly PackedPart[], offset: number): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (parts[middle]!.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The parts of a segment whose bytes are as they were written, ascending by offset; none where the index is damaged.
 *
 * @param bytes the whole segment
 */
export function wholeParts(bytes: Buffer, segment: string): readonly PackedPart[] {
  const parts = parseSegmentTail(segment, bytes, bytes.length);
  if (!Array.isArray(parts)) return [];
  return parts.filter(({ offset, length, hex }) => blake3(bytes.subarray(offset, offset + length)).toString('hex') === hex);
}
