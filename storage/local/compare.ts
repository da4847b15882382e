import { Blake3Hasher } from '@napi-rs/blake-hash';
import { hexOf } from '../digests.ts';
import { objectDamaged } from '../errors.ts';
import { type PartFile, parsePartFile } from './layout.ts';
import type { Stretch } from './ranges.ts';

/**
 * Bytes are compared with the digest in their part's name where that costs next to nothing (docs/decisions/0098). A part of
 * up to this size, in bytes, is read as a whole for any of its bytes, and compared before the first of them goes out.
 */
export const comparedSize = 1024 * 1024;

/** The part of which a range is all; `null` for less of it, and for a file that is none. */
export function partOf({ file, offset, length }: Stretch): PartFile | null {
  const part = parsePartFile(file);
  return part && offset === 0 && length === part.size ? part : null;
}

/** The part to be read as a whole for a range of it. */
export function smallPart({ file }: Stretch): PartFile | null {
  const part = parsePartFile(file);
  return part && part.size <= comparedSize ? part : null;
}

export function compare(bytes: Buffer, { hex }: PartFile): Buffer {
  if (hexOf(bytes) !== hex) throw objectDamaged();
  return bytes;
}

/** The same for bytes that come in pieces. */
export function comparison(part: PartFile | null): { readonly add: (bytes: Uint8Array) => void; readonly end: () => void } {
  if (!part) return { add: () => undefined, end: () => undefined };
  const hasher = new Blake3Hasher();
  return {
    add: (bytes) => void hasher.update(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    end() {
      if (hasher.digest('hex') !== part.hex) throw objectDamaged();
    },
  };
}
