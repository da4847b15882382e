import { Blake3Hasher } from '@napi-rs/blake-hash';
import { createDigester, type Digester } from '#providers/digests.ts';
import type { DigestName, Digests } from '#providers/ports.ts';
import { objectDigest } from '#storage/digests.ts';
import type { Content } from './content.ts';
import { FileError } from './errors.ts';

interface HashedFile {
  readonly content: Content;
  /** `blake3:<hex>` over the chunks' digests; null if unknown. */
  readonly digest: string | null;
  readonly chunkSize: number;
}

const changed = () =>
  new FileError(
    'What the storage of this service holds of this file is not what was received: its digest differs. Nothing of it was completed. Ask the operator to look at the storage, or send the file again.',
  );

/**
 * Digests of a whole file from its bytes as they pass, in whatever order they are sent: only those that follow the known
 * ones count, and the rest is read again.
 */
export class FileHash {
  #position = 0;
  /** Of the chunk that has begun. */
  #chunk: Blake3Hasher | null = null;
  readonly #chunks: string[] = [];
  #digests: Digests | null = null;
  readonly #file: HashedFile;
  readonly #isVerified: boolean;
  readonly #digester: Digester | null;

  private constructor(file: HashedFile, digester: Digester | null) {
    this.#file = file;
    this.#digester = digester;
    this.#isVerified = file.digest?.startsWith('blake3:') === true && file.chunkSize > 0;
  }

  /** `names` are the digests of the whole that the provider wants. */
  static async of(file: HashedFile, names: readonly DigestName[]): Promise<FileHash> {
    return new FileHash(file, names.length > 0 ? await createDigester(names) : null);
  }

  /** The bytes of the file that start at `at`. */
  add(at: number, bytes: Buffer): void {
    const from = this.#position - at;
    if (from < 0 || from >= bytes.length) return;
    const fresh = from === 0 ? bytes : bytes.subarray(from);
    this.#digester?.update(fresh);
    if (this.#isVerified) this.#addToChunks(fresh);
    this.#position += fresh.length;
  }

  /** Reads what is missing before `to`. Does nothing if nobody wants to know. */
  async catchUp(to: number, signal: AbortSignal): Promise<void> {
    if (!this.#isVerified && !this.#digester) return;
    while (this.#position < to) {
      let at = this.#position;
      for await (const bytes of this.#file.content.read(at, to, signal)) {
        this.add(at, bytes);
        at += bytes.length;
      }
    }
  }

  /** Digests of the whole, of which it reads what has not passed. Throws `FileError` if it is not what was received. */
  async verified(signal: AbortSignal): Promise<Digests> {
    if (this.#digests) return this.#digests;
    await this.catchUp(this.#file.content.size, signal);
    if (this.#isVerified) {
      if (this.#chunks.length === 0 || this.#position % this.#file.chunkSize !== 0) this.#endChunk();
      if (objectDigest(this.#chunks) !== this.#file.digest) throw changed();
    }
    this.#digests = this.#digester?.digests() ?? {};
    return this.#digests;
  }

  #addToChunks(bytes: Buffer): void {
    const { chunkSize } = this.#file;
    for (let from = 0; from < bytes.length; ) {
      const room = chunkSize - ((this.#position + from) % chunkSize);
      const piece = bytes.subarray(from, from + room);
      this.#chunk ??= new Blake3Hasher();
      this.#chunk.update(piece);
      from += piece.length;
      if (piece.length === room) this.#endChunk();
    }
  }

  #endChunk(): void {
    this.#chunks.push((this.#chunk ?? new Blake3Hasher()).digest('hex'));
    this.#chunk = null;
  }
}
