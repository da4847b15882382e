/** How much is read, written and hashed at a time: less costs calls, more costs cache (`docs/decisions/0008`). */
export const stride = 1024 * 1024;

/** Buffers of one stride that are used again and again: memory grows with what moves at once, and no further. */
export interface BufferPool {
  take(): Buffer;
  /** Nothing may read or write it any more. */
  give(buffer: Buffer): void;
}

export function createBufferPool(): BufferPool {
  const free: Buffer[] = [];
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(stride),
    give: (buffer) => void free.push(buffer),
  };
}
