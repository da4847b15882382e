/** Bytes read, written and hashed at a time: smaller strides cost more calls, larger ones more cache (`docs/decisions/0008`). */
export const stride = 1024 * 1024;

/** Free buffers that stay while none is in use: as many as small files need, whose batches pass one after the other. */
export const mostFree = 4;

/** A pool of buffers of one stride: memory is limited by the number of concurrent transfers of bytes. */
export interface BufferPool {
  take(): Buffer;
  /** Returns a buffer; nothing may read or write it any more. */
  give(buffer: Buffer): void;
}

/** Once none of its buffers is in use, it keeps a few: those of a large file would otherwise be there for ever. */
export function createBufferPool(): BufferPool {
  const free: Buffer[] = [];
  let inUse = 0;
  return {
    take() {
      inUse++;
      return free.pop() ?? Buffer.allocUnsafeSlow(stride);
    },
    give(buffer) {
      free.push(buffer);
      if (--inUse === 0 && free.length > mostFree) free.length = mostFree;
    },
  };
}
