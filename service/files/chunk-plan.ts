import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';

/** How a file is divided into chunks (contract/files-and-blueprints.md §3). Sizes are bytes, indexes zero-based. */

/** What a storage allows, as `ObjectStorage.limits` says it. */
interface ChunkLimits {
  readonly minChunkSize: number;
  readonly maxChunkSize: number;
  readonly maxChunkCount: number;
  readonly largestBody?: number;
}

type ChosenSize = { readonly chunkSize: number } | { readonly fault: string };

const MiB = 1024 * 1024;

/**
 * The chunk size of a new file: its own, its package's, or the default, in this order. `fileSize` is `null` where the
 * sender does not know it yet. If the chunk size is too small for the file, the error names one that fits.
 */
export function chooseChunkSize(
  asked: { readonly file: number | undefined; readonly package: number },
  fileSize: number | null,
  storage: ChunkLimits,
): ChosenSize {
  const { min, max } = rangeOf(storage);
  const count = Math.min(limits.maxChunkCount, storage.maxChunkCount);
  const chunkSize = asked.file ?? (asked.package || Math.min(max, Math.max(min, limits.defaultChunkSize)));
  const fault = chunkSizeFault(chunkSize, storage);
  if (fault !== null) return { fault };
  if (fileSize === null || fileSize <= chunkSize * count) return { chunkSize };
  const needed = Math.max(min, Math.ceil(fileSize / count / MiB) * MiB);
  return {
    fault:
      needed > max
        ? `size: the storage holds files of at most ${max * count} bytes.`
        : `chunk_size: ${fileSize} bytes do not fit into ${count} chunks of ${chunkSize}; chunks of ${needed} bytes would hold them.`,
  };
}

function rangeOf(storage: ChunkLimits): { readonly min: number; readonly max: number } {
  return {
    min: Math.max(limits.minChunkSize, storage.minChunkSize),
    max: Math.min(limits.maxChunkSize, storage.maxChunkSize),
  };
}

/** Why no chunk may have this size, as text that names the field; `null` if it is valid. */
function chunkSizeFault(chunkSize: number, storage: ChunkLimits): string | null {
  const { min, max } = rangeOf(storage);
  if (chunkSize >= min && chunkSize <= max) return null;
  const front = storage.largestBody === max ? ` What stands before it lets no larger body than ${max} bytes through.` : '';
  return `chunk_size: this storage takes chunks of ${min} to ${max} bytes, not of ${chunkSize}.${front}`;
}

/** A Team's chunk size for packages whose sender says nothing; 0, as if it had none, where the storage does not take it any more. */
export function usualChunkSize(ofTeam: number, storage: ChunkLimits): number {
  return ofTeam > 0 && chunkSizeFault(ofTeam, storage) === null ? ofTeam : 0;
}

/** Checks the chunk size of a new package: an invalid one would reject all of its files. Error: `over_limit`. */
export function checkChunkSize(asked: number | undefined, storage: ChunkLimits): void {
  const fault = asked === undefined ? null : chunkSizeFault(asked, storage);
  if (fault !== null) throw new ApiError('over_limit', { detail: fault });
}

/** The number of chunks of a file. A file of 0 bytes has one chunk, of 0 bytes. */
export function chunkCount(size: number, chunkSize: number): number {
  return Math.max(1, Math.ceil(size / chunkSize));
}

/** The size of one chunk in bytes. */
export function chunkBytes(index: number, size: number, chunkSize: number): number {
  return Math.min(chunkSize, size - index * chunkSize);
}

/**
 * The chunks for `start` and `count`, limited to the file's end; none if `start` is beyond it. For a file of unknown
 * size, any chunk may be requested, up to the storage's maximum count.
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
