import { createCipheriv, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { uploadGroupOf } from './keys.ts';
import type { PartRequest } from './ports.ts';
import type { SigningSecret } from './signature.ts';

/**
 * Signed addresses of parts. They are made by the hundred, so each must be cheap. HMAC-SHA256 over what all parts of an
 * upload share (key, upload id, expiry) gives a key; AES-256 under that key encrypts one block for each part, with its
 * number and its size. The block's ciphertext is the part's signature. A block cipher under a secret key, over one
 * block of fixed length, is a MAC of 128 bits. So no field can be changed, and one part's address reveals nothing about
 * another's.
 *
 * A small file that may be packed is one part, and its address is made once: there the HMAC's first half is the signature,
 * and covers the part as well. It takes a third of the time of a key and a cipher for one block.
 */

/** What a part's address permits. */
export interface SignedPart {
  readonly uploadId: string;
  readonly partNumber: number;
  /** Bytes. */
  readonly size: number;
  /** Whether the part must have exactly that size, or may be smaller. */
  readonly exact: boolean;
  /** Sent by the address of a batch (batch-address.ts): it is packed or refused. */
  readonly batched?: true;
}

export type PartVerdict =
  | { readonly kind: 'valid'; readonly part: SignedPart }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'expired' };

/** Bytes of a block; its hex form has twice as many digits. */
export const blockSize = 16;
export const signatureLength = 32;
const pattern =
  /^uploadId=([0-9a-f]{32})&expires=([1-9]\d{0,11})&partNumber=([1-9]\d{0,8})&(size|maxSize)=(0|[1-9]\d{0,14})&signature=([0-9a-f]{32})$/;

/**
 * The queries of parts of one upload, in the order of the request, without `?`. `expiresAt` is rounded down to whole
 * seconds.
 */
export function partQueries(
  secret: SigningSecret,
  key: string,
  uploadId: string,
  parts: readonly PartRequest[],
  expiresAt: Date,
): readonly string[] {
  const expires = Math.floor(expiresAt.getTime() / 1000);
  const signatures = partSigner(secret, key, uploadId, expires)(parts).toString('hex');
  const shared = beforeNumber(uploadId, expires);
  return parts.map((part, index) => {
    const signature = signatures.slice(index * signatureLength, (index + 1) * signatureLength);
    return `${shared}${part.partNumber}${afterNumber(part)}${signature}`;
  });
}

/** A part's query up to its number, and from there to its signature. */
export const beforeNumber = (uploadId: string, expires: number): string => `uploadId=${uploadId}&expires=${expires}&partNumber=`;
export const afterNumber = (part: PartRequest): string => `&${isExact(part) ? 'size' : 'maxSize'}=${sizeOf(part)}&signature=`;

export const sizeOf = ({ size, maxSize }: PartRequest): number => size ?? maxSize;
export const isExact = ({ size }: PartRequest): boolean => size !== null;

/** Verifies the query of a received request for a part. `now` is in milliseconds. */
export function verifyPartQuery(secret: SigningSecret, key: string, query: string, now: number): PartVerdict {
  const match = pattern.exec(query);
  if (!match) return { kind: 'invalid' };
  const [, uploadId, expires, number, kind, size, signature] = match as unknown as readonly string[];
  const part = { uploadId: uploadId!, partNumber: Number(number), size: Number(size), exact: kind === 'size' };
  const signed = { partNumber: part.partNumber, size: part.exact ? part.size : null, maxSize: part.size };
  const expected = partSigner(secret, key, part.uploadId, Number(expires))([signed]);
  if (!timingSafeEqual(Buffer.from(signature!, 'hex'), expected)) return { kind: 'invalid' };
  return Number(expires) * 1000 > now ? { kind: 'valid', part } : { kind: 'expired' };
}

/** Returns the signatures of parts of one upload, concatenated, one block each. */
export type PartSigner = (parts: readonly PartRequest[]) => Buffer;

/**
 * Creates the signer for the parts of an upload until `expires`, in seconds. No key or upload id contains a line break,
 * so the signed text is unambiguous.
 */
export function partSigner(secret: SigningSecret, key: string, uploadId: string, expires: number): PartSigner {
  const upload = `${key}\n${uploadId}\n${expires}`;
  if (uploadGroupOf(uploadId) !== null) {
    const sign = (part: PartRequest): Buffer =>
      createHmac('sha256', secret)
        .update(`longshore-storage-part-2\n${upload}\n${part.partNumber}\n${isExact(part)}\n${sizeOf(part)}`)
        .digest()
        .subarray(0, blockSize);
    return (parts) => (parts.length === 1 ? sign(parts[0]!) : Buffer.concat(parts.map(sign)));
  }
  const shared = createHmac('sha256', secret).update(`longshore-storage-part-1\n${upload}`).digest();
  // For plain bytes Node first tests whether they are already a key, by two exceptions that take 30 µs.
  const own = createSecretKey(shared);
  // ECB encrypts each block independently, so the cipher has no state after whole blocks and can be reused.
  const cipher = createCipheriv('aes-256-ecb', own, null).setAutoPadding(false);
  return (parts) => {
    const blocks = Buffer.allocUnsafe(parts.length * blockSize);
    const view = new DataView(blocks.buffer, blocks.byteOffset);
    let at = 0;
    for (const part of parts) {
      const size = sizeOf(part);
      view.setUint32(at, part.partNumber);
      view.setUint32(at + 4, isExact(part) ? 1 : 0);
      view.setUint32(at + 8, Math.floor(size / 2 ** 32));
      view.setUint32(at + 12, size % 2 ** 32);
      at += blockSize;
    }
    return cipher.update(blocks);
  };
}
