import { crc32 } from 'node:zlib';
import type { ZipEntry } from './entry.ts';

/** The CRC-32 of a file's first `upTo` bytes. */
interface Known {
  readonly upTo: number;
  readonly crc: number;
}

/**
 * Computes the CRC-32 of a zip's entries from the bytes that are read for downloads, in whatever ranges are
 * requested. Only bytes that directly follow the known ones count; the code that needs the checksum reads the rest.
 */
export class Checksums {
  readonly #whole: Float64Array;
  readonly #begun = new Map<number, Known>();
  #fresh: number[] = [];
  readonly entries: readonly ZipEntry[];

  /** `known` holds the checksums that were noted before, by file id. */
  constructor(entries: readonly ZipEntry[], known: ReadonlyMap<string, number>) {
    this.entries = entries;
    this.#whole = Float64Array.from(entries, (entry) => (entry.size === 0 ? 0 : (known.get(entry.id) ?? Number.NaN)));
  }

  /** Null while unknown. */
  of(index: number): number | null {
    const crc = this.#whole[index]!;
    return Number.isNaN(crc) ? null : crc;
  }

  /** The number of bytes from its start that are already included. */
  upTo(index: number): number {
    return this.of(index) === null ? (this.#begun.get(index)?.upTo ?? 0) : this.entries[index]!.size;
  }

  /** Adds the bytes of an entry that start at `at`. */
  add(index: number, at: number, bytes: Uint8Array): void {
    if (this.of(index) !== null) return;
    const { upTo, crc } = this.#begun.get(index) ?? { upTo: 0, crc: 0 };
    if (at > upTo || at + bytes.length <= upTo) return;
    const next = { upTo: at + bytes.length, crc: crc32(bytes.subarray(upTo - at), crc) };
    if (next.upTo < this.entries[index]!.size) {
      this.#begun.set(index, next);
      return;
    }
    this.#begun.delete(index);
    this.#whole[index] = next.crc;
    this.#fresh.push(index);
  }

  /** The checksums that became known since the last call, to be stored. */
  takeNew(): { readonly id: string; readonly crc: number }[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh.map((index) => ({ id: this.entries[index]!.id, crc: this.#whole[index]! }));
  }
}
