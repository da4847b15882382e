import { Blake3Hasher } from '@napi-rs/blake-hash';

/** For bytes that are digested in one go: a new one each time, or a digest as a buffer, costs more than 10 KiB do. */
const atOnce = new Blake3Hasher();

export function hexOf(bytes: Buffer): string {
  atOnce.reset();
  return atOnce.update(bytes).digest('hex');
}

/**
 * Digests of objects of one part, by that part's. Finalizing needs each twice: to compare it with what the sender states,
 * and as a fact of the object.
 */
const ofOnePart = new Map<string, string>();
const remembered = 2_048;

function digestOfOne(hex: string): string {
  const known = ofOnePart.get(hex);
  if (known !== undefined) return known;
  const digest = `blake3:${hexOf(Buffer.from(hex, 'hex'))}`;
  if (ofOnePart.size === remembered) ofOnePart.clear();
  ofOnePart.set(hex, digest);
  return digest;
}

/** `blake3:<hex>` over the concatenated binary digests of the parts, in order (contract/files-and-blueprints.md §5). */
export function objectDigest(partHexes: readonly string[]): string {
  if (partHexes.length === 1) return digestOfOne(partHexes[0]!);
  const hasher = new Blake3Hasher();
  for (const hex of partHexes) hasher.update(Buffer.from(hex, 'hex'));
  return `blake3:${hasher.digest('hex')}`;
}

/** The etag of a whole object: its digest and, after a dash, the number of its parts. */
export const objectEtag = (digest: string, partCount: number): string => `b3-${digest.slice('blake3:'.length)}-${partCount}`;
