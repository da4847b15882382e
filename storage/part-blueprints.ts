import { LRUCache } from 'lru-cache';
import { afterNumber, beforeNumber, blockSize, isExact, type PartSigner, partSigner, signatureLength, sizeOf } from './part-address.ts';
import type { PartRequest } from './ports.ts';
import type { SigningSecret } from './signature.ts';

/** The upload whose parts get addresses. `expires` is in seconds since 1970; `address` is the object's, with its `?`. */
interface PartsOf {
  readonly key: string;
  readonly uploadId: string;
  readonly expires: number;
  readonly address: string;
}

/** Limit of uploads in the signer cache. */
const remembered = 256;

/**
 * Writes the addresses of an upload's parts directly as the bytes of the JSON answer: a list of `Blueprint`s, each a
 * PUT without headers to `address` with the part's query (part-address.ts). Neighbouring entries differ only in number
 * and signature, so an entry of the same length is a copy of the previous one: a sixth of the cost of objects and their
 * serialisation. A large file needs many calls, which share a cached signer if they expire in the same second: creating
 * a signer costs as much as all the rest.
 */
export function createPartBlueprints(secret: SigningSecret): (of: PartsOf, parts: readonly PartRequest[]) => Buffer {
  const signers = new LRUCache<string, PartSigner>({ max: remembered });
  return ({ key, uploadId, expires, address }, parts) => {
    const name = `${key} ${uploadId} ${expires}`;
    let sign = signers.get(name);
    if (!sign) {
      sign = partSigner(secret, key, uploadId, expires);
      signers.set(name, sign);
    }
    return written(`${address}${beforeNumber(uploadId, expires)}`, parts, sign(parts));
  };
}

function written(address: string, parts: readonly PartRequest[], signatures: Buffer): Buffer {
  const opening = `,{"url":${JSON.stringify(address).slice(0, -1)}`;
  const numberAt = Buffer.byteLength(opening);
  const out = Buffer.allocUnsafe(2 + parts.length * (numberAt + longestRest));
  let end = 0;
  let length = 0;
  let digits = 0;
  let last: PartRequest | undefined;
  for (const [index, part] of parts.entries()) {
    if (last && isAlike(part, last) && digitsOf(part.partNumber) === digits) {
      out.copyWithin(end, end - length, end);
      writeNumber(out, end + numberAt + digits, part.partNumber);
    } else {
      digits = digitsOf(part.partNumber);
      length = out.write(`${opening}${part.partNumber}${afterNumber(part)}${unsigned}${closing}`, end);
    }
    end += length;
    last = part;
    writeHex(out, end - closing.length - signatureLength, signatures, index * blockSize);
  }
  // Replaces the comma before the first entry.
  out.write('[', 0);
  out.write(']', Math.max(1, end));
  return out.subarray(0, Math.max(1, end) + 1);
}

const closing = '","method":"PUT","headers":{},"body":""}';
const unsigned = '0'.repeat(signatureLength);
/** Largest number of bytes after `partNumber=`. */
const longestRest = 2 * String(Number.MAX_SAFE_INTEGER).length + '&maxSize=&signature='.length + signatureLength + closing.length;

const isAlike = (one: PartRequest, other: PartRequest): boolean => sizeOf(one) === sizeOf(other) && isExact(one) === isExact(other);
const digitsOf = (number: number): number => String(number).length;

const zero = '0'.charCodeAt(0);

/** Writes the decimal digits of a number above 0, ending before `end`. */
function writeNumber(out: Buffer, end: number, number: number): void {
  for (let at = end - 1, rest = number; rest > 0; at -= 1, rest = Math.floor(rest / 10)) out[at] = zero + (rest % 10);
}

const hexDigits = Buffer.from('0123456789abcdef');

/** Writes one block as hex. */
function writeHex(out: Buffer, at: number, blocks: Buffer, from: number): void {
  for (let index = 0; index < blockSize; index += 1) {
    const byte = blocks[from + index]!;
    out[at + 2 * index] = hexDigits[byte >> 4]!;
    out[at + 2 * index + 1] = hexDigits[byte & 15]!;
  }
}
