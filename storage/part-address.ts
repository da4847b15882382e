import { createCipheriv, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { PartRequest } from './ports.ts';
import type { SigningSecret } from './signature.ts';

/**
 * Signed addresses of parts, made by the hundred and so made cheaply: what all parts of an upload share (key, upload
 * id, expiry) gives a key by HMAC-SHA256, under which AES-256 encrypts one block for each part: its number and its
 * size. The block's ciphertext is the part's signature. A cipher under a secret key, of one block of fixed length, is
 * a MAC of 128 bits, so none of the facts can be changed, and the address of one part tells nothing of another's.
 */

/** What an address of a part allows. */
export interface SignedPart {
  readonly uploadId: string;
  readonly partNumber: number;
  /** Bytes. */
  readonly size: number;
  /** Whether it must have that size, or may have less. */
  readonly exact: boolean;
}

export type PartVerdict =
  | { readonly kind: 'valid'; readonly part: SignedPart }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'expired' };

/** Bytes of a block, and hex digits of what it becomes. */
export const blockSize = 16;
export const signatureLength = 32;
const pattern =
  /^uploadId=([0-9a-f]{32})&expires=([1-9]\d{0,11})&partNumber=([1-9]\d{0,8})&(size|maxSize)=(0|[1-9]\d{0,14})&signature=([0-9a-f]{32})$/;

/** The queries of parts of one upload, in their order, without `?`. `expiresAt` is rounded down to whole seconds. */
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

/** Judges the query of a part as it came over the wire. `now` is in milliseconds. */
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

/** Gives the signatures of parts of one upload, one after the other, a block each. */
export type PartSigner = (parts: readonly PartRequest[]) => Buffer;

/** Makes what signs the parts of an upload until `expires`, in seconds. No key or upload id holds a line break, so what is signed has one reading. */
export function partSigner(secret: SigningSecret, key: string, uploadId: string, expires: number): PartSigner {
  const shared = createHmac('sha256', secret).update(`longshore-storage-part-1\n${key}\n${uploadId}\n${expires}`).digest();
  // Of plain bytes Node first asks whether they are a key already, by two exceptions that take 30 µs.
  const own = createSecretKey(shared);
  // Each block is encrypted by itself: whole ones leave nothing behind in it.
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
