import { objectDigest, objectEtag } from '../digests.ts';
import type { StoredObject } from '../ports.ts';
import type { PackedPart } from './format.ts';

/** What a part of a segment is as an object. */
export function packedObject({ length, hex }: PackedPart): StoredObject {
  const digest = objectDigest([hex]);
  return { size: length, etag: objectEtag(digest, 1), digest };
}
