import { createHash } from 'node:crypto';
import { Blake3Hasher } from '@napi-rs/blake-hash';

/** Of a chunk's bytes, one after the other: as S3 names parts, and as senders do. */
const sumSizes = { md5: 16, blake3: 32 } as const;
const sumSize = sumSizes.md5 + sumSizes.blake3;

/** Kept of an object of which some chunks are read. */
interface KeptSums {
  readonly chunk_size: number;
  /** Which reading of the object it is: one whose bytes are wrong is read again. */
  readonly read: number;
  /** Of all chunks that are read, in base64. */
  readonly sums: string;
}

/** The digests of an object's chunks, as far as it is read. Sizes in bytes. */
export interface ChunkSums {
  /** The first reading is 1. */
  readonly reads: number;
  /** Bytes that are read. */
  size(): number;
  /** Whole chunks that are read. */
  count(): number;
  add(piece: Uint8Array): void;
  /** Forgets what was begun of a chunk. Returns the bytes of the whole ones. */
  rewind(): number;
  /** All is read; the last chunk may be shorter. In hex. */
  end(): { readonly md5s: readonly string[]; readonly blake3s: readonly string[] };
  kept(): KeptSums;
  /** From the beginning. */
  forget(): void;
  /** From the beginning, in one more reading. */
  again(): void;
}

/** `chunkSize` 0: all is one chunk. `kept`: by an earlier run; what is of other chunks is left aside. */
export function openChunkSums(chunkSize: number, kept: unknown): ChunkSums {
  const earlier = isKept(kept, chunkSize) ? kept : null;
  let reads = earlier?.read ?? 1;
  let sums: Buffer[] = [];
  const packed = Buffer.from(earlier?.sums ?? '', 'base64');
  for (let at = 0; at + sumSize <= packed.length; at += sumSize) sums.push(packed.subarray(at, at + sumSize));
  let chunk = newChunk();
  const endChunk = () => {
    sums.push(Buffer.concat([chunk.md5.digest(), chunk.blake3.digestBuffer()]));
    chunk = newChunk();
  };
  const forget = () => {
    sums = [];
    chunk = newChunk();
  };
  return {
    get reads() {
      return reads;
    },
    size: () => sums.length * chunkSize + chunk.size,
    count: () => sums.length,
    add(piece) {
      for (let from = 0; from < piece.length; ) {
        const some = piece.subarray(from, chunkSize > 0 ? from + chunkSize - chunk.size : undefined);
        chunk.md5.update(some);
        chunk.blake3.update(Buffer.from(some.buffer, some.byteOffset, some.byteLength));
        chunk.size += some.length;
        from += some.length;
        if (chunk.size === chunkSize) endChunk();
      }
    },
    rewind() {
      chunk = newChunk();
      return sums.length * chunkSize;
    },
    end() {
      if (chunk.size > 0 || sums.length === 0) endChunk();
      return {
        md5s: sums.map((sum) => sum.toString('hex', 0, sumSizes.md5)),
        blake3s: sums.map((sum) => sum.toString('hex', sumSizes.md5)),
      };
    },
    kept: () => ({ chunk_size: chunkSize, read: reads, sums: Buffer.concat(sums).toString('base64') }),
    forget,
    again() {
      reads += 1;
      forget();
    },
  };
}

const newChunk = () => ({ size: 0, md5: createHash('md5'), blake3: new Blake3Hasher() });

function isKept(kept: unknown, chunkSize: number): kept is KeptSums {
  const { chunk_size, read, sums } = (kept ?? {}) as Partial<KeptSums>;
  return chunk_size === chunkSize && typeof read === 'number' && typeof sums === 'string';
}
