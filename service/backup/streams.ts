import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { Blake3Hasher } from '@napi-rs/blake-hash';

/** Fast rather than small: a backup of the database is bound by this. */
const gzipLevel = 1;

const through = (bytes: AsyncIterable<Uint8Array>, transform: ReturnType<typeof createGzip>): AsyncIterable<Buffer> => {
  // Failures reach the reader through the last stream.
  pipeline(Readable.from(bytes), transform, () => undefined);
  return transform as AsyncIterable<Buffer>;
};

export const gzipped = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> => through(bytes, createGzip({ level: gzipLevel }));
export const gunzipped = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> => through(bytes, createGunzip());

/** Passes bytes on, and tells size and BLAKE3 (hex) of all of them. */
export function digesting(bytes: AsyncIterable<Uint8Array>): { readonly bytes: AsyncIterable<Uint8Array>; readonly sum: () => FileSum } {
  const hasher = new Blake3Hasher();
  let size = 0;
  async function* pass() {
    for await (const piece of bytes) {
      hasher.update(piece as Buffer);
      size += piece.length;
      yield piece;
    }
  }
  return { bytes: pass(), sum: () => ({ size, digest: hasher.digest('hex') }) };
}

/** Of a stored file: bytes, and BLAKE3 in hex. */
export interface FileSum {
  readonly size: number;
  readonly digest: string;
}

/** Lines of a text in UTF-8, in groups as they are read, without their ends. */
export async function* lineGroups(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop()!;
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}

export async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

export const once = async function* (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
};

/** Works on what comes, `width` at a time. The first failure ends it, after what had begun. */
export async function forEachOf<T>(items: AsyncIterable<T>, width: number, work: (item: T) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for await (const item of items) {
    const one: Promise<void> = work(item)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(one));
    running.add(one);
    if (running.size >= width) await Promise.race(running);
    if (failures.length > 0) break;
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
