import { limits } from '#protocol/limits.ts';
import type { Digester, Slice } from './ports.ts';

const MiB = 1024 * 1024;

/** Number of chunks of a file; a file of 0 bytes has one. */
export function chunkCount(size: number, chunkSize: number): number {
  return Math.max(1, Math.ceil(size / chunkSize));
}

/** Offset and length of the chunk with this zero-based index. */
export function chunkSlice(index: number, size: number, chunkSize: number): Slice {
  const offset = index * chunkSize;
  return { offset, length: Math.min(chunkSize, size - offset) };
}

/** The wanted chunk size, or the default. It is raised to whole MiB where the file would otherwise have too many chunks. */
export function chooseChunkSize(size: number, wanted: number = limits.defaultChunkSize): number {
  const least = Math.ceil(size / limits.maxChunkCount);
  return wanted >= least ? wanted : Math.ceil(least / MiB) * MiB;
}

/**
 * Target seconds for one chunk: long enough that the overhead of its calls is small, short enough to be repeated after
 * a failure.
 */
const chunkSeconds = 8;
/** Used while the speed is unknown. */
const firstChunkSize = 16 * MiB;
/**
 * A far line bounds each connection by its window, so a file is as fast as it has chunks to give to connections: to those of its
 * sender, and later to those of each receiver, whose ranges its chunks are. Two for each of the sixteen that an agent opens at most.
 */
const chunksPerFile = 32;
/** Chunks are not made smaller for the sake of connections: each has a request, and a file at the storage. */
const leastForConnections = 32 * MiB;
/** What the storage reads and compares before it sends a range of it (contract/storage.md §4). */
const largestChunkSize = 128 * MiB;

export interface ChunkBounds {
  /** Throughput of one connection; `null` where nothing was transferred yet, so the speed is unknown. */
  readonly bytesPerSecond: number | null;
  /** The largest chunk size that the service accepts. */
  readonly most: number;
}

/**
 * Chunk size in bytes for a file whose sender has not chosen one. After a lost connection the whole chunk is sent
 * again, so one chunk should take about eight seconds; and a large file has enough chunks for all connections. At least 5 MiB,
 * at most 128 MiB while 10,000 chunks hold the file, all of about the same size.
 */
export function chunkSizeFor(size: number, { bytesPerSecond, most }: ChunkBounds): number {
  const least = Math.max(limits.minChunkSize, Math.ceil(size / limits.maxChunkCount / MiB) * MiB);
  const largest = Math.min(most, limits.maxChunkSize);
  const bySpeed = bytesPerSecond === null ? firstChunkSize : bytesPerSecond * chunkSeconds;
  const forConnections = Math.max(leastForConnections, size / chunksPerFile);
  const wanted = Math.max(least, Math.min(largest, largestChunkSize, forConnections, bySpeed));
  const even = Math.ceil(size / chunkCount(size, wanted) / MiB) * MiB;
  return Math.min(largest, Math.max(least, even));
}

/** A growing file usually becomes this many times as large as it is when its chunks are chosen. */
const growth = 4;
const growingChunkSize = 64 * MiB;

/**
 * Chunk size in bytes for a file that is still being written to, so that nobody knows its size: 64 MiB, which is enough for
 * 625 GiB, and more where it is larger than a quarter of that already. It is begun again with larger chunks if it
 * becomes too large for these.
 *
 * @param size in bytes, as it is now
 */
export function chunkSizeForGrowing(size: number, { most }: Pick<ChunkBounds, 'most'>): number {
  const wanted = Math.max(growingChunkSize, Math.ceil((size * growth) / limits.maxChunkCount / MiB) * MiB);
  return Math.min(most, limits.maxChunkSize, wanted);
}

/** `blake3:<hex>` over the binary digests of a file's chunks, in order (contract/files-and-blueprints.md §5). */
export async function digestOfChunks(digest: Digester, chunks: readonly string[]): Promise<string> {
  return `blake3:${await digest(joinedDigests(chunks))}`;
}

/** The digests of a file's chunks (64 hex digits each) as bytes, concatenated. The file's own digest is computed over them. */
export function joinedDigests(chunks: readonly string[]): Uint8Array {
  const joined = new Uint8Array(chunks.length * 32);
  let at = 0;
  for (const hex of chunks) for (let digit = 0; digit < 64; digit += 2) joined[at++] = (valueAt(hex, digit) << 4) | valueAt(hex, digit + 1);
  return joined;
}

/**
 * Value of a hex digit. Works on character codes: a substring for each byte would create garbage, which dominates the
 * cost for small files.
 */
function valueAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : (code | 0x20) - 0x57;
}
