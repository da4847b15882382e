/** Buffers for small files, used again: fresh ones outside of the heap would bring its collections nearer. */
export interface SmallBuffers {
  /** A buffer of exactly so many bytes. */
  take(bytes: number): Buffer;
  /** It will be written over. */
  give(buffer: ArrayBuffer): void;
}

/** Of all that wait to be used again. */
const mostFree = 4 * 1024 * 1024;
const smallest = 4 * 1024;

/** By powers of two, so that at most half of one is wasted. */
export function createSmallBuffers(): SmallBuffers {
  const free = new Map<number, ArrayBuffer[]>();
  let freeBytes = 0;
  return {
    take(bytes) {
      let size = smallest;
      while (size < bytes) size *= 2;
      const known = free.get(size)?.pop();
      if (known) freeBytes -= size;
      return Buffer.from(known ?? Buffer.allocUnsafeSlow(size).buffer, 0, bytes);
    },
    give(buffer) {
      const size = buffer.byteLength;
      if (freeBytes + size > mostFree) return;
      freeBytes += size;
      const others = free.get(size);
      if (others) others.push(buffer);
      else free.set(size, [buffer]);
    },
  };
}
