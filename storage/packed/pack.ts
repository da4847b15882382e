import { newSegment, newUploadGroup } from '../keys.ts';
import { packedKey, parsePackedKey } from '../packed-key.ts';
import { type PackedPart, segmentBytes } from '../segments/format.ts';
import { noSuchPackedObject, type StoredSegments } from './stored-segments.ts';

interface Copy {
  readonly segment: string;
  readonly parts: PackedPart[];
  readonly pieces: Buffer[];
  bytes: number;
}

const newCopy = (): Copy => ({ segment: newSegment(newUploadGroup()), parts: [], pieces: [], bytes: 0 });

/**
 * Writes objects into new segments, and returns their new keys in order. If it fails half way, the written segments are
 * known to nobody, and `listSegments` tells of them.
 */
export async function pack(segments: StoredSegments, keys: readonly string[]): Promise<string[]> {
  const packed: string[] = [];
  let copy = newCopy();
  for (const key of keys) {
    const place = parsePackedKey(key);
    if (!place) throw noSuchPackedObject();
    if (copy.bytes + place.length > segmentBytes) {
      await segments.write(copy.segment, copy.parts, copy.pieces);
      copy = newCopy();
    }
    const part = { ...(await segments.part(place)), offset: copy.bytes };
    copy.pieces.push(await segments.read(place));
    copy.parts.push(part);
    copy.bytes += part.length;
    packed.push(packedKey({ segment: copy.segment, offset: part.offset, length: part.length }));
  }
  if (copy.parts.length > 0) await segments.write(copy.segment, copy.parts, copy.pieces);
  return packed;
}
