import { limits } from '#protocol/limits.ts';
import type { Digester, Slice } from './ports.ts';

const MiB = 1024 * 1024;

/** How many chunks a file has; one of 0 bytes has one. */
export function chunkCount(size: number, chunkSize: number): number {
  return Math.max(1, Math.ceil(size / chunkSize));
}

/** Where the chunk of this zero-based index lies. */
export function chunkSlice(index: number, size: number, chunkSize: number): Slice {
  const offset = index * chunkSize;
  return { offset, length: Math.min(chunkSize, size - offset) };
}

/** The wanted chunk size, or the default, raised to whole MiB where the file would have too many chunks of it. */
export function chooseChunkSize(size: number, wanted: number = limits.defaultChunkSize): number {
  const least = Math.ceil(size / limits.maxChunkCount);
  return wanted >= least ? wanted : Math.ceil(least / MiB) * MiB;
}

/** `blake3:<hex>` over the binary digests of a file's chunks, in order (decisions, "Packages, files, links"). */
export async function digestOfChunks(digest: Digester, chunks: readonly string[]): Promise<string> {
  const joined = new Uint8Array(chunks.length * 32);
  chunks.forEach((hex, index) => {
    for (let at = 0; at < 32; at++) joined[index * 32 + at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  });
  return `blake3:${await digest(joined)}`;
}
