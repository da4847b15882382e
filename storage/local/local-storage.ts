import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileSystem } from '#filesystem/port.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { limits, smallFileSize } from '#protocol/limits.ts';
import type { Blueprint } from '#protocol/schema.ts';
import { batchAddress, batchGetPath, batchPutPath } from '#protocol/storage/requests.ts';
import { batchQuery } from '../batch-address.ts';
import { hexOf } from '../digests.ts';
import { noSuchUpload, StorageError } from '../errors.ts';
import { checkKey, isUploadId, newPackedUploadId, newUploadGroup, packedPrefix, uploadGroupOf } from '../keys.ts';
import { parsePackedKey } from '../packed-key.ts';
import { partQueries } from '../part-address.ts';
import { createPartBlueprints } from '../part-blueprints.ts';
import { partRangeQuery } from '../part-range-address.ts';
import type { ObjectStorage, PartRequest, StoredObject, StoredPart, WholeUpload } from '../ports.ts';
import { readBatchQuery } from '../read-batch-address.ts';
import { signedQuery, signingKey } from '../signature.ts';
import { diskError } from './disk-errors.ts';
import { type Layout, objectOf, partFile } from './layout.ts';
import { stretches } from './ranges.ts';
import { readStretches } from './read.ts';
import { readInto } from './read-into.ts';
import type { Segments } from './segments/segments.ts';
import { tracePrefix } from './tracing/traced-address.ts';
import type { LocalUploads } from './uploads.ts';
import { writePart } from './write-part.ts';

interface LocalStorageOptions {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly uploads: LocalUploads;
  readonly segments: Segments;
  /** For reads. */
  readonly syncWhenFast: SyncWhenFast;
  readonly secret: Uint8Array;
  /** The data plane's address for senders and receivers, without a slash at the end. */
  readonly publicUrl: string;
  /** The `traceparent` that addresses pass on; null for none. */
  readonly trace?: (() => string | null) | undefined;
  /** Reports folders of new uploads to the data plane, before anybody has their addresses. */
  readonly uploadsStarted: (folders: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

const none = {} as const;

function checkUpload(key: string, uploadId: string): void {
  checkKey(key);
  if (!isUploadId(uploadId)) throw noSuchUpload();
}

const outside = (size: number): StorageError =>
  new StorageError('range_not_satisfiable', `The range lies outside the object of ${size} bytes.`, { details: { size } });

function checkRange(start: number, end: number, size: number): void {
  if (start < 0 || end < start || start >= size) throw outside(size);
}

function copyInto(buffers: readonly Uint8Array[], bytes: Buffer, start: number): void {
  let at = start;
  for (const buffer of buffers) {
    buffer.set(bytes.subarray(at, at + buffer.length));
    at += buffer.length;
  }
}

function noneIfNoUpload(error: unknown): StoredPart[] {
  if (error instanceof StorageError && error.code === 'no_such_upload') return [];
  throw error;
}

/** Making a folder takes some 20 µs. After this many the event loop gets a turn. */
const foldersPerTurn = 64;

/** Objects in a folder; a separate data plane transfers them (server.ts). */
export function createLocalStorage({
  files,
  layout,
  uploads,
  segments,
  syncWhenFast,
  secret,
  publicUrl,
  trace = () => null,
  uploadsStarted,
  close,
}: LocalStorageOptions): ObjectStorage {
  const signing = signingKey(secret);
  const partBlueprints = createPartBlueprints(signing);
  const addressOf = (key: string): string => `${publicUrl}/${key}?${tracePrefix(trace())}`;
  const partAddresses = (key: string, uploadId: string, parts: readonly PartRequest[], expiresAt: Date): Blueprint[] => {
    const address = addressOf(key);
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

  const wholeUpload = (key: string, uploadId: string, size: number, expiresAt: Date): WholeUpload => ({
    uploadId,
    put: partAddresses(checkKey(key), uploadId, [{ partNumber: 1, size, maxSize: size }], expiresAt)[0]!,
  });

  /** `null` after a temporary disk error: the caller then begins this upload by a single call, which reports the error. */
  const beginInFolder = (key: string, size: number, expiresAt: Date, made: string[]): WholeUpload | null => {
    try {
      const { uploadId, folder } = uploads.begin(key);
      made.push(folder);
      return wholeUpload(key, uploadId, size, expiresAt);
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
      return { url: addressOf(key) + query, method: 'POST', headers: none, body: '' };
    },

    async presignParts(key, uploadId, parts, expiresAt) {
      checkUpload(key, uploadId);
      return partAddresses(key, uploadId, parts, expiresAt);
    },

    async presignPartsAsJson(key, uploadId, parts, expiresAt) {
      checkUpload(key, uploadId);
      const expires = Math.floor(expiresAt.getTime() / 1000);
      return partBlueprints({ key, uploadId, expires, address: addressOf(key) }, parts);
    },

    async presignPartRange(key, uploadId, range, expiresAt) {
      checkUpload(key, uploadId);
      const url = addressOf(key) + partRangeQuery(signing, key, uploadId, range, expiresAt);
      return { url, method: 'PUT', headers: none, body: '', first_part: range.first, last_part: range.last };
    },

    /**
     * For a small file nothing is made on the disk: its bytes are stored with others, and late ones are freed by
     * `endUploads`. Any other has its folder from the beginning, so after it is deleted, late bytes are refused.
     */
    async beginWhole(objects, expiresAt) {
      const started: (WholeUpload | null)[] = [];
      const made: string[] = [];
      const group = newUploadGroup();
      for (const [index, { key, size }] of objects.entries()) {
        if (index % foldersPerTurn === foldersPerTurn - 1) await nextTurn();
        const isPacked = size <= smallFileSize;
        started.push(isPacked ? wholeUpload(key, newPackedUploadId(group), size, expiresAt) : beginInFolder(key, size, expiresAt, made));
      }
      uploadsStarted(made);
      return started;
    },

    async presignBatch(key, expiresAt) {
      const group = newUploadGroup();
      const query = batchQuery(signing, checkKey(key), { uploadGroup: group, maxSize: smallFileSize }, expiresAt);
      return {
        url: addressOf(key) + query,
        method: 'PUT',
        headers: none,
        body: '',
        upload_prefix: packedPrefix(group),
        max_size: smallFileSize,
      };
    },

    async presignRead(key, { expiresAt, fileName }) {
      return {
        method: 'GET',
        url: addressOf(key) + signedQuery(signing, 'GET', checkKey(key), [['fileName', fileName]], expiresAt),
      };
    },

    async presignReadBatch(keys, expiresAt) {
      for (const key of keys) checkKey(key);
      const address = addressOf(batchGetPath) + readBatchQuery(signing, keys, expiresAt);
      return batchAddress(`${publicUrl}/${batchGetPath}`, address);
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

    async listParts(key, uploadId) {
      if (uploadGroupOf(uploadId) === null) return await uploads.listParts(key, uploadId);
      // What came by itself came later than what was packed. A packed upload has no folder before that.
      const alone = await uploads.listParts(key, uploadId).catch(noneIfNoUpload);
      if (alone.length > 0) return alone;
      const part = segments.uploads.part(key, uploadId);
      if (part) return [part];
      // Of an upload with no bytes nothing tells whether it has ended, unless it has become an object of its own.
      if (uploads.objectParts(key)) throw noSuchUpload();
      return [];
    },

    async complete(key, uploadId, parts) {
      const [packed] = await segments.uploads.completeAll([{ key, uploadId, parts }]);
      if (packed instanceof StorageError) throw packed;
      if (!packed) return await uploads.complete(key, uploadId, parts);
      await uploads.abort(key);
      return packed;
    },

    async completeAll(batch) {
      const results = await segments.uploads.completeAll(batch);
      const others = [...batch.entries()].filter(([index]) => results[index] === null);
      const completed = others.length === 0 ? [] : await uploads.completeAll(others.map(([, upload]) => upload));
      for (const [at, [index]] of others.entries()) results[index] = completed[at]!;
      return results as (StoredObject | StorageError)[];
    },

    bytesReceived: (key) => uploads.bytesReceived(key),
    abort: (key) => uploads.abort(key),
    async delete(key) {
      if (!parsePackedKey(key)) await uploads.delete(key);
    },
    ...segments.calls,
    write: (key, bytes) =>
      uploads.write(key, bytes, partFile(1, bytes.length, hexOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)))),

    async head(key): Promise<StoredObject | null> {
      const place = parsePackedKey(key);
      if (place) return segments.objects.head(place);
      const parts = uploads.objectParts(key);
      return parts && objectOf(parts);
    },

    async read(key, range) {
      const place = parsePackedKey(key);
      if (place) {
        if (range) checkRange(range.start, range.end, place.length);
        const bytes = await segments.objects.read(place);
        return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes], { objectMode: false });
      }
      const parts = objectParts(key);
      const { size } = objectOf(parts);
      if (range) checkRange(range.start, range.end, size);
      const { start, end } = range ?? { start: 0, end: size - 1 };
      const folder = layout.object(key);
      return Readable.from(
        readStretches(files, (file) => join(folder, file), stretches(parts, start, end), diskError),
        { objectMode: false },
      );
    },

    async readInto(key, buffers, start) {
      const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
      const place = parsePackedKey(key);
      if (place) {
        if (start < 0 || start + length > place.length) throw outside(place.length);
        copyInto(buffers, await segments.objects.read(place), start);
        return;
      }
      const parts = objectParts(key);
      const { size } = objectOf(parts);
      if (start < 0 || start + length > size) throw outside(size);
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
