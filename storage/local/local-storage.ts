import { join } from 'node:path';
import { Readable } from 'node:stream';
import { limits } from '#protocol/limits.ts';
import { hexOf } from '../digests.ts';
import { StorageError } from '../errors.ts';
import { checkKey, isUploadId } from '../keys.ts';
import type { ObjectStorage, StoredObject } from '../ports.ts';
import { signedQuery, signingKey } from '../signature.ts';
import { diskError } from './disk-errors.ts';
import { type Layout, partFile } from './layout.ts';
import { stretches } from './ranges.ts';
import { readStretches } from './read.ts';
import { type LocalUploads, objectOf } from './uploads.ts';

export interface LocalStorageOptions {
  readonly layout: Layout;
  readonly uploads: LocalUploads;
  readonly secret: Uint8Array;
  /** Where senders and receivers reach the data plane, without a slash at the end. */
  readonly publicUrl: string;
  readonly close: () => Promise<void>;
}

const none = {} as const;

/** Objects in a folder, moved by a data plane of their own (server.ts). */
export function createLocalStorage({ layout, uploads, secret, publicUrl, close }: LocalStorageOptions): ObjectStorage {
  const signing = signingKey(secret);
  const objectParts = (key: string) => {
    const parts = uploads.objectParts(key);
    if (!parts) throw new StorageError('no_such_object', 'The storage has no such object.');
    return parts;
  };

  return {
    kind: 'local',
    chunkChecksum: 'blake3',
    limits: { minChunkSize: limits.minChunkSize, maxChunkSize: limits.maxChunkSize, maxChunkCount: limits.maxChunkCount },

    async presignCreate(key, expiresAt) {
      const query = signedQuery(signing, 'POST', checkKey(key), [['uploads', '']], expiresAt);
      return { url: `${publicUrl}/${key}?${query}`, method: 'POST', headers: none, body: '' };
    },

    async presignParts(key, uploadId, parts, expiresAt) {
      checkKey(key);
      if (!isUploadId(uploadId))
        throw new StorageError('no_such_upload', 'There is no such multipart upload. It was completed or aborted.');
      return parts.map(({ partNumber, size, maxSize }) => {
        const query = signedQuery(
          signing,
          'PUT',
          key,
          [
            ['uploadId', uploadId],
            ['partNumber', String(partNumber)],
            size === null ? ['maxSize', String(maxSize)] : ['size', String(size)],
          ],
          expiresAt,
        );
        return { url: `${publicUrl}/${key}?${query}`, method: 'PUT', headers: none, body: '' };
      });
    },

    async presignRead(key, { expiresAt, fileName }) {
      return {
        method: 'GET',
        url: `${publicUrl}/${key}?${signedQuery(signing, 'GET', checkKey(key), [['fileName', fileName]], expiresAt)}`,
      };
    },

    listParts: (key, uploadId) => uploads.listParts(key, uploadId),
    complete: (key, uploadId, parts) => uploads.complete(key, uploadId, parts),
    abort: (key) => uploads.abort(key),
    delete: (key) => uploads.delete(key),
    write: (key, bytes) =>
      uploads.write(key, bytes, partFile(1, bytes.length, hexOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)))),

    async head(key): Promise<StoredObject | null> {
      const parts = uploads.objectParts(key);
      return parts && objectOf(parts);
    },

    async read(key, range) {
      const parts = objectParts(key);
      const { size } = objectOf(parts);
      const { start, end } = range ?? { start: 0, end: size - 1 };
      if (range && (start < 0 || end < start || start >= size)) {
        throw new StorageError('range_not_satisfiable', `The range lies outside the object of ${size} bytes.`, { details: { size } });
      }
      const folder = layout.object(key);
      return Readable.from(
        readStretches((file) => join(folder, file), stretches(parts, start, end), diskError),
        { objectMode: false },
      );
    },

    close,
  };
}
