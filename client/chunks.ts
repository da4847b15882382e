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
  return `blake3:${await digest(joinedDigests(chunks))}`;
}

/** The digests of a file's chunks (64 hex digits each) as bytes, one after the other: what the file's own is made of. */
export function joinedDigests(chunks: readonly string[]): Uint8Array {
  const joined = new Uint8Array(chunks.length * 32);
  let at = 0;
  for (const hex of chunks) for (let digit = 0; digit < 64; digit += 2) joined[at++] = (valueAt(hex, digit) << 4) | valueAt(hex, digit + 1);
  return joined;
}

/** Of a hex digit. By its character: a piece of text for each byte would be garbage, and small files have little else. */
function valueAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : (code | 0x20) - 0x57;
}
