import { createBLAKE3, type IHasher } from 'hash-wasm';

/** A pool of BLAKE3 hashers; each has its own memory and is reused. */
export interface Hashers {
  take(): Promise<{ readonly hasher: IHasher; readonly free: () => void }>;
}

export function createHashers(): Hashers {
  const idle: IHasher[] = [];
  return {
    async take() {
      const hasher = idle.pop() ?? (await createBLAKE3());
      hasher.init();
      return {
        hasher,
        free() {
          idle.push(hasher);
        },
      };
    },
  };
}

/** Bytes per read. */
const step = 4 * 1024 * 1024;

/** BLAKE3 of a range of a file, in hex. */
export async function blake3Of(hashers: Hashers, blob: Blob, signal: AbortSignal): Promise<string> {
  const { hasher, free } = await hashers.take();
  try {
    for (let offset = 0; offset < blob.size; offset += step) {
      signal.throwIfAborted();
      hasher.update(new Uint8Array(await blob.slice(offset, offset + step).arrayBuffer()));
    }
    return hasher.digest('hex');
  } finally {
    free();
  }
}
