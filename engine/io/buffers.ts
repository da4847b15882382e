/** Bytes read, written and hashed at a time: smaller strides cost more calls, larger ones more cache (`docs/decisions/0008`). */
export const stride = 1024 * 1024;

/** A pool of buffers of one stride: memory is limited by the number of concurrent transfers of bytes. */
export interface BufferPool {
  take(): Buffer;
  /** Returns a buffer; nothing may read or write it any more. */
  give(buffer: Buffer): void;
}

export function createBufferPool(): BufferPool {
  const free: Buffer[] = [];
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(stride),
    give: (buffer) => void free.push(buffer),
  };
}
