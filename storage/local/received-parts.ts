import { LRUCache } from 'lru-cache';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { maxEntries } from '#net/lru-size.ts';
import { limits } from '#protocol/limits.ts';
import { partFiles } from './layout.ts';

/** Limit of remembered uploads; each takes up to 1.3 KiB. */
const remembered = 4_096;

/**
 * Remembers which parts of an upload were received, so that the folder is searched for a replaced file only when a part
 * is sent again. A search among ten thousand files for each of ten thousand parts would take minutes. An upload that is
 * not in memory any more is read from its folder once.
 */
export class ReceivedParts {
  readonly #files: Pick<FileSystem, 'list'>;
  readonly #uploads = new LRUCache<string, Uint8Array>(maxEntries(remembered));

  constructor(files: Pick<FileSystem, 'list'> = nodeFileSystem) {
    this.#files = files;
  }

  /** Registers a new upload without parts. A late call changes nothing. */
  begin(folder: string): void {
    if (!this.#uploads.has(folder)) this.#uploads.set(folder, new Uint8Array(1));
  }

  /** Notes a part before it gets its final name; `true` where a part of that number may already exist. */
  mark(folder: string, partNumber: number): boolean {
    let bits = this.#uploads.get(folder);
    if (!bits) {
      bits = new Uint8Array(limits.maxChunkCount / 8 + 1);
      for (const part of partFiles(this.#files.list(folder))) set(bits, part.partNumber);
    }
    const index = partNumber >> 3;
    if (index >= bits.length) {
      const longer = new Uint8Array(Math.max(index + 1, bits.length * 2));
      longer.set(bits);
      bits = longer;
    }
    this.#uploads.set(folder, bits);
    return set(bits, partNumber);
  }
}

/** Sets a bit and returns whether it was set before. */
function set(bits: Uint8Array, number: number): boolean {
  const index = number >> 3;
  const mask = 1 << (number & 7);
  const before = bits[index] ?? 0;
  bits[index] = before | mask;
  return (before & mask) !== 0;
}
