import { limits } from '#protocol/limits.ts';

/** How a file is cut into chunks (interface §8; decisions "Packages, files, links"). Sizes are bytes, indexes zero-based. */

/** What a storage allows, as `ObjectStorage.limits` says it. */
export interface ChunkLimits {
  readonly minChunkSize: number;
  readonly maxChunkSize: number;
  readonly maxChunkCount: number;
}

export type ChosenSize = { readonly chunkSize: number } | { readonly fault: string };

const MiB = 1024 * 1024;

/**
 * The chunk size of a new file: its own, else its package's, else the default. `fileSize` is `null` where
 * the sender does not know it yet. A size that cannot hold the file is a fault that says which one would.
 */
export function chooseChunkSize(
  asked: { readonly file: number | undefined; readonly package: number },
  fileSize: number | null,
  storage: ChunkLimits,
): ChosenSize {
  const max = Math.min(limits.maxChunkSize, storage.maxChunkSize);
  const min = Math.max(limits.minChunkSize, storage.minChunkSize);
  const count = Math.min(limits.maxChunkCount, storage.maxChunkCount);
  const chunkSize = asked.file ?? (asked.package || Math.min(max, Math.max(min, limits.defaultChunkSize)));
  if (chunkSize < min || chunkSize > max) {
    return { fault: `chunk_size: this storage takes chunks of ${min} to ${max} bytes, not of ${chunkSize}.` };
  }
  if (fileSize === null || fileSize <= chunkSize * count) return { chunkSize };
  const needed = Math.max(min, Math.ceil(fileSize / count / MiB) * MiB);
  return {
    fault:
      needed > max
        ? `size: the storage holds files of at most ${max * count} bytes.`
        : `chunk_size: ${fileSize} bytes do not fit into ${count} chunks of ${chunkSize}; chunks of ${needed} bytes would hold them.`,
  };
}

/** How many chunks a file has. One of 0 bytes has one, of 0 bytes. */
export function chunkCount(size: number, chunkSize: number): number {
  return Math.max(1, Math.ceil(size / chunkSize));
}

/** The bytes of one chunk. */
export function chunkBytes(index: number, size: number, chunkSize: number): number {
  return Math.min(chunkSize, size - index * chunkSize);
}

/**
 * The chunks that `start` and `count` ask for, cut at the file's end; none when `start` lies beyond it.
 * Of a file of unknown size any chunk may be asked for, up to the storage's count.
 */
export function chunkRange(
  asked: { readonly start: number; readonly count: number },
  size: number | null,
  chunkSize: number,
  maxChunkCount: number,
): { readonly index: number; readonly bytes: number | null }[] {
  const total = size === null ? maxChunkCount : chunkCount(size, chunkSize);
  const end = Math.min(total, asked.start + asked.count);
  const chunks = [];
  for (let index = asked.start; index < end; index++) {
    chunks.push({ index, bytes: size === null ? null : chunkBytes(index, size, chunkSize) });
  }
  return chunks;
}
