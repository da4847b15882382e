import { createHash } from 'node:crypto';
import { Blake3Hasher, blake3 } from '@napi-rs/blake-hash';

/** The `Digester` of Node. */
export function blake3Hex(bytes: Uint8Array): string {
  return blake3(asBuffer(bytes)).toString('hex');
}

export interface SliceDigests {
  readonly blake3: string;
  /** 32 hex digits, if it was requested. */
  readonly md5?: string;
}

export interface SliceDigest {
  update(bytes: Buffer): void;
  end(): SliceDigests;
}

/** BLAKE3, 9 GB/s a core here; MD5 (0.85 GB/s) only if the storage uses it as its etag. */
export function createSliceDigest(md5: boolean): SliceDigest {
  const ours = new Blake3Hasher();
  const theirs = md5 ? createHash('md5') : null;
  return {
    update(bytes) {
      ours.update(bytes);
      theirs?.update(bytes);
    },
    end: () => ({ blake3: ours.digest('hex'), ...(theirs ? { md5: theirs.digest('hex') } : {}) }),
  };
}

/** Both digests of bytes that are in memory. */
export function digestsOf(bytes: Buffer, md5: boolean): SliceDigests {
  return { blake3: blake3Hex(bytes), ...(md5 ? { md5: createHash('md5').update(bytes).digest('hex') } : {}) };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
