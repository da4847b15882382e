import { createHash, hash } from 'node:crypto';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import { blake3OfEtag } from '#protocol/storage/requests.ts';
import { objectDigest } from '#storage/digests.ts';
import type { StoredObject, StoredPart } from '#storage/ports.ts';
import { chunkBytes, chunkCount } from './chunk-plan.ts';

/** What a sender states when it finalizes a file. Chunk numbers are one-based, sizes bytes. */
export interface Claim {
  readonly size: number;
  /** The size declared at creation, from which the blueprints were made; null if none was given. */
  readonly declared: number | null;
  readonly chunkSize: number;
  readonly chunks: readonly { readonly number: number; readonly etag: string }[];
}

export type Verdict =
  | { readonly ok: true; readonly parts: readonly StoredPart[] }
  /** The first wrong chunk, and the reason, as the end of a sentence. */
  | { readonly ok: false; readonly chunk: number; readonly detail: string };

const wrong = (chunk: number, detail: string): Verdict => ({ ok: false, chunk, detail });

/** A claim from the body of a finalize call. Some senders keep the quotes of the storage's `ETag` header. */
export function claimOf(
  body: { readonly size: number; readonly chunk_extras: readonly { readonly part_number: string; readonly etag: string }[] },
  declared: number | null,
  chunkSize: number,
): Claim {
  return {
    size: body.size,
    declared,
    chunkSize,
    chunks: body.chunk_extras
      .map((extra) => ({ number: Number(extra.part_number), etag: extra.etag.replace(/^"(.*)"$/, '$1') }))
      .sort((a, b) => a.number - b.number),
  };
}

/**
 * The parts of a claim, without asking the storage: every chunk of the file named once, and no other. Used alone
 * where the storage has already assembled the parts and can no longer list them.
 */
export function checkClaim(claim: Claim): Verdict {
  const planned = claim.declared ?? claim.size;
  const total = chunkCount(planned, claim.chunkSize);
  const parts: StoredPart[] = [];
  for (const [index, { number, etag }] of claim.chunks.entries()) {
    const expected = index + 1;
    if (number < expected) return wrong(number, 'it is named twice');
    if (number > expected && expected <= total) return wrong(expected, 'it is not named in chunk_extras');
    if (number > total) return wrong(number, `a file of ${planned} bytes in chunks of ${claim.chunkSize} has only ${total}`);
    parts.push({ partNumber: number, etag, size: chunkBytes(index, planned, claim.chunkSize) });
  }
  if (parts.length < total) return wrong(parts.length + 1, 'it is not named in chunk_extras');
  if (planned !== claim.size) {
    const first = Math.floor(Math.min(planned, claim.size) / claim.chunkSize) + 1;
    return wrong(first, `the file was created with ${planned} bytes and is finalized with ${claim.size}`);
  }
  return { ok: true, parts };
}

/** Compares a claim with the storage: every chunk exists, with the same etag and size in bytes. */
export function checkChunks(claim: Claim, stored: readonly StoredPart[]): Verdict {
  const claimed = checkClaim(claim);
  const held = new Map(stored.map((part) => [part.partNumber, part]));
  // Even if the claim is incomplete, an earlier chunk that differs from the storage is the first wrong one.
  const last = claimed.ok ? Number.POSITIVE_INFINITY : claimed.chunk;
  const parts: StoredPart[] = [];
  for (const { number, etag } of claim.chunks) {
    if (number >= last) break;
    const part = held.get(number);
    if (!part) return wrong(number, 'the storage does not have it');
    if (part.etag !== etag) return wrong(number, `its etag at the storage is ${part.etag}, not ${etag}`);
    const bytes = chunkBytes(number - 1, claim.declared ?? claim.size, claim.chunkSize);
    if (part.size !== bytes) return wrong(number, `the storage has ${part.size} bytes of it, and it should have ${bytes}`);
    parts.push(part);
  }
  return claimed.ok ? { ok: true, parts } : claimed;
}

/** The digest computed from the parts' etags, if they are BLAKE3 digests; otherwise `null`. */
export function digestOfParts(parts: readonly StoredPart[]): string | null {
  const hexes = parts.map((part) => blake3OfEtag(part.etag));
  return hexes.includes(null) ? null : objectDigest(hexes as string[]);
}

/** The etag that S3 computes for an object made of parts with these MD5 etags. */
export function multipartMd5(parts: readonly Pick<StoredPart, 'etag'>[]): string {
  const hash = createHash('md5');
  for (const part of parts) hash.update(Buffer.from(part.etag, 'hex'));
  return `${hash.digest('hex')}-${parts.length}`;
}

/** Whether a completed object can be the result of these parts. Used for recovery after a crash. */
export function objectAgrees(object: StoredObject, parts: readonly StoredPart[], checksum: ChunkChecksum): boolean {
  if (object.size !== parts.reduce((sum, part) => sum + part.size, 0)) return false;
  if (checksum === 'none') return true;
  const digest = digestOfParts(parts);
  if (digest !== null || checksum === 'blake3') return object.digest === digest;
  return checksum === 'md5' ? object.etag === multipartMd5(parts) : true;
}

/** A hash of a claim's content in hex, stored with the finalized file: an equal hash means equal content. */
export function fingerprint(claim: Pick<Claim, 'size' | 'chunks'> & Partial<Claim>): string {
  return hash('sha256', [claim.size, ...claim.chunks.map(({ number, etag }) => `${number} ${etag}`)].join('\n'), 'hex');
}
