import { StorageError } from '../errors.ts';
import { newSegment, newUploadGroup } from '../keys.ts';
import { type PackedPlace, packedKey, parsePackedKey } from '../packed-key.ts';
import { type PackedPart, segmentBytes } from '../segments/format.ts';
import { readMany } from './read-many.ts';
import { noSuchPackedObject, type StoredSegments } from './stored-segments.ts';

/**
 * Writes objects into new segments, and returns their new keys in order. If it fails half way, the written segments are
 * known to nobody, and `listSegments` tells of them.
 */
export async function pack(segments: StoredSegments, keys: readonly string[]): Promise<string[]> {
  const packed: string[] = [];
  let places: PackedPlace[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (places.length > 0) packed.push(...(await copied(segments, places)));
    places = [];
    bytes = 0;
  };
  for (const key of keys) {
    const place = parsePackedKey(key);
    if (!place) throw noSuchPackedObject();
    if (bytes + place.length > segmentBytes) await flush();
    places.push(place);
    bytes += place.length;
  }
  await flush();
  return packed;
}

/** Writes one segment with these objects, which fit; their new keys. */
async function copied(segments: StoredSegments, places: readonly PackedPlace[]): Promise<readonly string[]> {
  const segment = newSegment(newUploadGroup());
  const parts: PackedPart[] = [];
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const [index, one] of (await readMany(segments, places)).entries()) {
    if (one instanceof StorageError) throw one;
    parts.push({ ...(await segments.part(places[index]!)), offset });
    pieces.push(one);
    offset += one.length;
  }
  await segments.write(segment, parts, pieces);
  return parts.map((part) => packedKey({ segment, offset: part.offset, length: part.length }));
}
