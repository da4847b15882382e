import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DeliveryFile } from '#service/transfers/delivery/ports.ts';
import { hexOf, objectDigest } from '#storage/digests.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';

/** A package's files with their bytes, as the service's storage holds them. */
export interface StoredFiles extends Pick<ObjectStorage, 'read'> {
  readonly files: readonly DeliveryFile[];
  readonly bytes: Map<string, Buffer>;
}

const chunksOf = (bytes: Buffer, chunkSize: number): Buffer[] => {
  const chunks: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += chunkSize) chunks.push(bytes.subarray(at, at + chunkSize));
  return chunks;
};

/** The digest that the service stores of a file (contract/files-and-blueprints.md §5). */
export const fileDigest = (bytes: Buffer, chunkSize: number): string => objectDigest(chunksOf(bytes, chunkSize).map(hexOf));

const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest();

/** The etag of an object in these parts, as S3 makes it. */
export const s3Etag = (bytes: Buffer, chunkSize: number): string => {
  const parts = chunksOf(bytes, chunkSize).map(md5);
  return parts.length === 1 ? parts[0]!.toString('hex') : `${md5(Buffer.concat(parts)).toString('hex')}-${parts.length}`;
};

/** `null` is a directory. Pieces of `pieceSize` bytes are read at once. */
export function storeFiles(contents: Readonly<Record<string, Buffer | null>>, { chunkSize = 2_500, pieceSize = 700 } = {}): StoredFiles {
  const bytes = new Map<string, Buffer>();
  const files = Object.entries(contents).map(([path, content]): DeliveryFile => {
    const id = randomUUID();
    const common = { id, key: id, path, modified: new Date('2026-03-04T05:06:07Z'), contentType: 'application/octet-stream' };
    if (content === null) return { ...common, kind: 'directory', size: 0, digest: null, etag: '', chunkSize: 0 };
    bytes.set(id, content);
    return {
      ...common,
      kind: 'file',
      size: content.length,
      digest: fileDigest(content, chunkSize),
      etag: s3Etag(content, chunkSize),
      chunkSize,
    };
  });
  return {
    files,
    bytes,
    async read(key, range) {
      const content = bytes.get(key);
      if (!content) throw new StorageError('no_such_object', 'The storage has no such object.');
      const { start, end } = range ?? { start: 0, end: content.length - 1 };
      if (start >= content.length) throw new StorageError('range_not_satisfiable', 'The range lies outside the object.');
      const asked = content.subarray(start, end + 1);
      return Readable.from(
        (function* () {
          for (let at = 0; at < asked.length; at += pieceSize) yield asked.subarray(at, at + pieceSize);
        })(),
        { objectMode: false },
      );
    },
  };
}
