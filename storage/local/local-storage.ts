import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileSystem } from '#filesystem/port.ts';
import { createSyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { limits } from '#protocol/limits.ts';
import type { Blueprint } from '#protocol/schema.ts';
import { batchGetPath, batchPutPath } from '#protocol/storage/requests.ts';
import { hexOf } from '../digests.ts';
import { noSuchUpload, StorageError } from '../errors.ts';
import { checkKey, isUploadId } from '../keys.ts';
import { partQueries } from '../part-address.ts';
import { createPartBlueprints } from '../part-blueprints.ts';
import type { ObjectStorage, PartRequest, StoredObject, WholeUpload } from '../ports.ts';
import { signedQuery, signingKey } from '../signature.ts';
import { diskError } from './disk-errors.ts';
import { type Layout, objectOf, partFile } from './layout.ts';
import { stretches } from './ranges.ts';
import { readStretches } from './read.ts';
import { readInto } from './read-into.ts';
import type { LocalUploads } from './uploads.ts';
import { writePart } from './write-part.ts';

interface LocalStorageOptions {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly uploads: LocalUploads;
  readonly secret: Uint8Array;
  /** The data plane's address for senders and receivers, without a slash at the end. */
  readonly publicUrl: string;
  /** Reports folders of new uploads to the data plane, before anybody has their addresses. */
  readonly uploadsStarted: (folders: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

const none = {} as const;

function checkUpload(key: string, uploadId: string): void {
  checkKey(key);
  if (!isUploadId(uploadId)) throw noSuchUpload();
}

/** Making a folder takes some 20 µs. After this many the event loop gets a turn. */
const foldersPerTurn = 64;

/** Objects in a folder; a separate data plane transfers them (server.ts). */
export function createLocalStorage({
  files,
  layout,
  uploads,
  secret,
  publicUrl,
  uploadsStarted,
  close,
}: LocalStorageOptions): ObjectStorage {
  const signing = signingKey(secret);
  const partBlueprints = createPartBlueprints(signing);
  const syncWhenFast = createSyncWhenFast();
  const partAddresses = (key: string, uploadId: string, parts: readonly PartRequest[], expiresAt: Date): Blueprint[] => {
    const address = `${publicUrl}/${key}?`;
    return partQueries(signing, key, uploadId, parts, expiresAt).map((query) => ({
      url: address + query,
      method: 'PUT',
      headers: none,
      body: '',
    }));
  };
  const objectParts = (key: string) => {
    const parts = uploads.objectParts(key);
    if (!parts) throw new StorageError('no_such_object', 'The storage has no such object.');
    return parts;
  };

  /** `null` after a temporary disk error: the caller then begins this upload by a single call, which reports the error. */
  const beginOne = (key: string, size: number, expiresAt: Date, made: string[]): WholeUpload | null => {
    try {
      const { uploadId, folder } = uploads.begin(key);
      made.push(folder);
      return { uploadId, put: partAddresses(key, uploadId, [{ partNumber: 1, size, maxSize: size }], expiresAt)[0]! };
    } catch (error) {
      if (error instanceof StorageError && error.retryable) return null;
      throw error;
    }
  };

  return {
    kind: 'local',
    chunkChecksum: 'blake3',
    batchPutUrl: `${publicUrl}/${batchPutPath}`,
    batchGetUrl: `${publicUrl}/${batchGetPath}`,
    limits: { minChunkSize: limits.minChunkSize, maxChunkSize: limits.maxChunkSize, maxChunkCount: limits.maxChunkCount },

    async presignCreate(key, expiresAt) {
      const query = signedQuery(signing, 'POST', checkKey(key), [['uploads', '']], expiresAt);
      return { url: `${publicUrl}/${key}?${query}`, method: 'POST', headers: none, body: '' };
    },

    async presignParts(key, uploadId, parts, expiresAt) {
      checkUpload(key, uploadId);
      return partAddresses(key, uploadId, parts, expiresAt);
    },

    async presignPartsAsJson(key, uploadId, parts, expiresAt) {
      checkUpload(key, uploadId);
      const expires = Math.floor(expiresAt.getTime() / 1000);
      return partBlueprints({ key, uploadId, expires, address: `${publicUrl}/${key}?` }, parts);
    },

    // The folder exists from the beginning, as for any upload. So after a file is deleted, late bytes are refused.
    async beginWhole(objects, expiresAt) {
      const started: (WholeUpload | null)[] = [];
      const made: string[] = [];
      for (const [index, { key, size }] of objects.entries()) {
        if (index % foldersPerTurn === foldersPerTurn - 1) await nextTurn();
        started.push(beginOne(key, size, expiresAt, made));
      }
      uploadsStarted(made);
      return started;
    },

    async presignRead(key, { expiresAt, fileName }) {
      return {
        method: 'GET',
        url: `${publicUrl}/${key}?${signedQuery(signing, 'GET', checkKey(key), [['fileName', fileName]], expiresAt)}`,
      };
    },

    async begin(key) {
      const { uploadId, folder } = uploads.begin(key);
      uploadsStarted([folder]);
      return uploadId;
    },

    async putPart({ key, uploadId, ...part }, signal) {
      checkUpload(key, uploadId);
      return await writePart(files, layout.upload(key, uploadId), part, signal);
    },

    listParts: (key, uploadId) => uploads.listParts(key, uploadId),
    complete: (key, uploadId, parts) => uploads.complete(key, uploadId, parts),
    completeAll: (batch) => uploads.completeAll(batch),
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
        readStretches(files, (file) => join(folder, file), stretches(parts, start, end), diskError),
        { objectMode: false },
      );
    },

    async readInto(key, buffers, start) {
      const parts = objectParts(key);
      const { size } = objectOf(parts);
      const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
      if (start < 0 || start + length > size) {
        throw new StorageError('range_not_satisfiable', `The range lies outside the object of ${size} bytes.`, { details: { size } });
      }
      if (length === 0) return;
      const folder = layout.object(key);
      try {
        await readInto(files, (file) => join(folder, file), stretches(parts, start, start + length - 1), buffers, syncWhenFast);
      } catch (error) {
        throw error instanceof StorageError ? error : diskError(error);
      }
    },

    close,
  };
}
