import { Blake3Hasher } from '@napi-rs/blake-hash';
import { joinedDigests } from '#client/chunks.ts';
import { openFlags } from '#filesystem/flags.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { blake3Hex } from '../../io/digests.ts';

const blockBytes = 1024 * 1024;

/**
 * BLAKE3 of a file's bytes, as `blake3:<hex>`. Unlike a transfer's digest it does not depend on chunks, so that copies
 * are known. Rejects with the system's error.
 */
export async function contentOf(path: string, fileSystem: FileSystem, signal: AbortSignal): Promise<string> {
  const hasher = new Blake3Hasher();
  await readBlocks(path, { fileSystem, signal }, (block) => hasher.update(block));
  return `blake3:${hasher.digest('hex')}`;
}

/** The digest that a transfer in chunks of `chunkSize` bytes has of a file (contract/files-and-blueprints.md §5). */
export async function transferDigestOf(path: string, chunkSize: number, fileSystem: FileSystem, signal: AbortSignal): Promise<string> {
  const digests: string[] = [];
  let hasher = new Blake3Hasher();
  let left = chunkSize;
  const endChunk = (): void => {
    digests.push(hasher.digest('hex'));
    hasher = new Blake3Hasher();
    left = chunkSize;
  };
  await readBlocks(path, { fileSystem, signal }, (block) => {
    for (let at = 0; at < block.length; ) {
      const part = block.subarray(at, at + left);
      hasher.update(part);
      at += part.length;
      left -= part.length;
      if (left === 0) endChunk();
    }
  });
  // A file of 0 bytes has one chunk.
  if (left < chunkSize || digests.length === 0) endChunk();
  return `blake3:${blake3Hex(joinedDigests(digests))}`;
}

async function readBlocks(
  path: string,
  { fileSystem, signal }: { readonly fileSystem: FileSystem; readonly signal: AbortSignal },
  use: (block: Buffer) => void,
): Promise<void> {
  const file = await fileSystem.open(path, openFlags.readOwn);
  try {
    const block = Buffer.allocUnsafe(blockBytes);
    for (let position = 0; ; ) {
      signal.throwIfAborted();
      const count = await file.read(block, 0, blockBytes, position);
      if (count === 0) return;
      use(block.subarray(0, count));
      position += count;
    }
  } finally {
    await file.close();
  }
}
