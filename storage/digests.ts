import { Blake3Hasher, blake3 } from '@napi-rs/blake-hash';

export const hexOf = (bytes: Buffer): string => blake3(bytes).toString('hex');

/** `blake3:<hex>` over the concatenated binary digests of the parts, in order (contract/files-and-blueprints.md §5). */
export function objectDigest(partHexes: readonly string[]): string {
  if (partHexes.length === 1) return `blake3:${hexOf(Buffer.from(partHexes[0]!, 'hex'))}`;
  const hasher = new Blake3Hasher();
  for (const hex of partHexes) hasher.update(Buffer.from(hex, 'hex'));
  return `blake3:${hasher.digest('hex')}`;
}

/** The etag of a whole object: its digest and, after a dash, the number of its parts. */
export const objectEtag = (digest: string, partCount: number): string => `b3-${digest.slice('blake3:'.length)}-${partCount}`;
