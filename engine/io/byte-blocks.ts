/**
 * Collects received pieces of bytes in blocks. The memory of a piece does not depend on its length (one byte may keep
 * the 64 KiB buffer that it was read into), so a sender of small pieces could otherwise exhaust the memory of this
 * process.
 */
export interface ByteBlocks {
  /** Bytes so far. */
  readonly length: number;
  append(piece: Uint8Array): void;
  /** Yields the blocks from the first on, and releases each. */
  taken(): Generator<Buffer>;
}

const blockBytes = 1024 * 1024;

export function createByteBlocks(): ByteBlocks {
  const full: Buffer[] = [];
  let block = Buffer.alloc(0);
  let used = 0;
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(piece) {
      for (let done = 0; done < piece.length; ) {
        if (used === block.length) {
          if (used > 0) full.push(block);
          // Not from the pool, which is shared.
          block = Buffer.allocUnsafeSlow(Math.min(blockBytes, Math.max(16 * 1024, length)));
          used = 0;
        }
        const count = Math.min(piece.length - done, block.length - used);
        block.set(piece.subarray(done, done + count), used);
        used += count;
        done += count;
        length += count;
      }
    },
    *taken() {
      for (let next = full.shift(); next; next = full.shift()) yield next;
      yield block.subarray(0, used);
    },
  };
}
