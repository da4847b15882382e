import { Blake3Hasher } from '@napi-rs/blake-hash';
import { openFlags } from '#filesystem/flags.ts';
import type { FileSystem } from '#filesystem/port.ts';

const blockBytes = 1024 * 1024;

/**
 * BLAKE3 of a file's bytes, as `blake3:<hex>`. Unlike a transfer's digest it does not depend on chunks, so that copies
 * are known. Rejects with the system's error.
 */
export async function contentOf(path: string, fileSystem: FileSystem, signal: AbortSignal): Promise<string> {
  const file = await fileSystem.open(path, openFlags.readOwn);
  try {
    const hasher = new Blake3Hasher();
    const block = Buffer.allocUnsafe(blockBytes);
    for (let position = 0; ; ) {
      signal.throwIfAborted();
      const count = await file.read(block, 0, blockBytes, position);
      if (count === 0) return `blake3:${hasher.digest('hex')}`;
      hasher.update(block.subarray(0, count));
      position += count;
    }
  } finally {
    await file.close();
  }
}
