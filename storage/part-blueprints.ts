import { afterNumber, beforeNumber, blockSize, isExact, signatureLength, signParts, sizeOf } from './part-address.ts';
import type { PartRequest } from './ports.ts';
import type { SigningSecret } from './signature.ts';

/**
 * The addresses of parts of one upload as the bytes of a JSON text, as it goes out: a list of `Blueprint`s, each a PUT
 * without headers to `address` (the object's, its `?` included) with the part's query (part-address.ts). Neighbours
 * differ by their number and signature only, so each is a copy of the last one where its text is as long: a sixth of
 * what objects and their serialisation cost. `expiresAt` is rounded down to whole seconds.
 */
export function partBlueprints(
  secret: SigningSecret,
  key: string,
  uploadId: string,
  parts: readonly PartRequest[],
  expiresAt: Date,
  address: string,
): Buffer {
  const expires = Math.floor(expiresAt.getTime() / 1000);
  const signatures = signParts(secret, key, uploadId, expires, parts);
  const opening = `,{"url":${JSON.stringify(address + beforeNumber(uploadId, expires)).slice(0, -1)}`;
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
  // The first comma is one too many.
  out.write('[', 0);
  out.write(']', Math.max(1, end));
  return out.subarray(0, Math.max(1, end) + 1);
}

const closing = '","method":"PUT","headers":{},"body":""}';
const unsigned = '0'.repeat(signatureLength);
/** Bytes of what follows `partNumber=`, at most. */
const longestRest = 2 * String(Number.MAX_SAFE_INTEGER).length + '&maxSize=&signature='.length + signatureLength + closing.length;

const isAlike = (one: PartRequest, other: PartRequest): boolean => sizeOf(one) === sizeOf(other) && isExact(one) === isExact(other);
const digitsOf = (number: number): number => String(number).length;

const zero = '0'.charCodeAt(0);

/** Writes the digits of a number above 0, ending before `end`. */
function writeNumber(out: Buffer, end: number, number: number): void {
  for (let at = end - 1, rest = number; rest > 0; at -= 1, rest = Math.floor(rest / 10)) out[at] = zero + (rest % 10);
}

const hexDigits = Buffer.from('0123456789abcdef');

/** Writes one block in hex. */
function writeHex(out: Buffer, at: number, blocks: Buffer, from: number): void {
  for (let index = 0; index < blockSize; index += 1) {
    const byte = blocks[from + index]!;
    out[at + 2 * index] = hexDigits[byte >> 4]!;
    out[at + 2 * index + 1] = hexDigits[byte & 15]!;
  }
}
