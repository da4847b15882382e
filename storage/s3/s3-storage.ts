import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import { limits } from '#protocol/limits.ts';
import type { Blueprint } from '#protocol/schema.ts';
import { attachment } from '#protocol/storage/disposition.ts';
import { rangeOf } from '#protocol/storage/ranges.ts';
import { noSuchUpload, StorageError } from '../errors.ts';
import { checkKey } from '../keys.ts';
import type { ObjectStorage, StoredObject, StoredPart, WholeUpload } from '../ports.ts';
import { bucketError, checkBucket } from './check-bucket.ts';
import { s3Error, s3UploadError } from './errors.ts';
import { createPresigner } from './presign.ts';
import { sendPart } from './send-part.ts';
import type { S3Settings } from './settings.ts';
import { createSinglePut, wholeId, wholeSeconds } from './single-put.ts';

const none = {} as const;
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** A signature takes about 0.1 ms. After this many the event loop gets a turn. */
const signedAtOnce = 32;

/** Concurrent checks of objects that were sent by a single PUT. */
const checkedAtOnce = 32;

/** Where the etag is no MD5, though it looks like one (docs.aws.amazon.com, "Checking object integrity"). */
const isOpaque = (found: HeadObjectCommandOutput): boolean =>
  found.ServerSideEncryption?.startsWith('aws:kms') === true || found.SSECustomerAlgorithm !== undefined;

const unquoted = (etag: string | undefined): string => (etag ?? '').replaceAll('"', '');

export interface S3Storage extends ObjectStorage {
  readonly list: Required<ObjectStorage>['list'];
  /** Known only after `check`; `md5` before. */
  chunkChecksum: 'md5' | 'none';
  /**
   * Tests the permissions that the service needs, and what etags are (check-bucket.ts). Rejects with `storage_refused`,
   * which says what is not allowed, or `storage_unavailable`.
   */
  check(): Promise<void>;
}

/** Objects in an S3-compatible bucket; senders and receivers connect to it directly. `now` is the time of the signatures. */
export function createS3Storage(settings: S3Settings, now: () => Date = () => new Date()): S3Storage {
  const { endpoint, publicEndpoint, region, bucket, prefix, pathStyle, credentials } = settings;
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    // Not all servers other than Amazon's support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Retries are done by the wrapper.
    maxAttempts: 1,
    // It would write to the console; the wrapper logs every call.
    logger: silent,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 120_000 },
  });
  const ownOrigin = endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const origins = [...new Set([ownOrigin, publicEndpoint ?? ownOrigin].map((one) => new URL(one).origin))];
  const presign = createPresigner({
    credentials: client.config.credentials,
    region,
    endpoint: publicEndpoint ?? ownOrigin,
    bucket,
    pathStyle,
    now,
  });
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + checkKey(key) });
  const singlePut = createSinglePut({ presign, now, inBucket: (key) => at(key).Key, head });

  async function explained<T>(work: () => Promise<T>, reasonOf = s3Error): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw reasonOf(error);
    }
  }

  /** An answer to HEAD has no body, so a 404 may mean a missing object or a missing bucket. This checks the bucket. */
  async function bucketStands(): Promise<void> {
    try {
      await client.send(new HeadBucketCommand({ Bucket: bucket }));
    } catch (error) {
      const failure = bucketError(error, bucket);
      // Without permission for HeadBucket, the first answer is taken to be about the object.
      if (failure.code !== 'storage_refused' || s3Error(error).code === 'no_such_object') throw failure;
    }
  }

  function head(key: string): Promise<StoredObject | null> {
    return explained(async () => {
      try {
        const found = await client.send(new HeadObjectCommand(at(key)));
        return { size: found.ContentLength ?? 0, etag: unquoted(found.ETag), ...(isOpaque(found) && { isOpaque: true }) };
      } catch (error) {
        if (s3Error(error).code !== 'no_such_object') throw error;
        await bucketStands();
        return null;
      }
    });
  }

  function listParts(key: string, uploadId: string): Promise<StoredPart[]> {
    return explained(async () => {
      const parts: StoredPart[] = [];
      if (uploadId === wholeId) return await singlePut.parts(key);
      for (let marker: string | undefined, more = true; more; ) {
        const page = await client.send(new ListPartsCommand({ ...at(key), UploadId: uploadId, PartNumberMarker: marker }));
        for (const part of page.Parts ?? []) {
          parts.push({ partNumber: part.PartNumber ?? 0, etag: unquoted(part.ETag), size: part.Size ?? 0 });
        }
        marker = page.NextPartNumberMarker;
        more = page.IsTruncated === true;
      }
      return parts.sort((a, b) => a.partNumber - b.partNumber);
    }, s3UploadError);
  }

  /** The result of an earlier completion whose answer was lost. */
  async function completedBefore(key: string, size: number, error: StorageError): Promise<StoredObject> {
    const found = await head(key);
    if (found?.size !== size) throw error;
    return found;
  }

  const storage: S3Storage = {
    kind: 's3',
    chunkChecksum: 'md5',
    limits: { minChunkSize: limits.minChunkSize, maxChunkSize: limits.maxChunkSize, maxChunkCount: limits.maxChunkCount },

    async presignCreate(key, expiresAt) {
      const url = await presign({ method: 'POST', key: at(key).Key, query: { uploads: '' }, expiresAt });
      return { url, method: 'POST', headers: none, body: '' };
    },

    async presignParts(key, uploadId, parts, expiresAt) {
      const { Key } = at(key);
      if (uploadId === wholeId) {
        const [part] = parts;
        if (parts.length !== 1 || part?.partNumber !== 1 || part.size === null) throw noSuchUpload();
        return [await singlePut.blueprint(key, part.size, expiresAt)];
      }
      const blueprints: Blueprint[] = [];
      for (const [index, { partNumber, size }] of parts.entries()) {
        if (index % signedAtOnce === 0) await nextTurn();
        const query = { partNumber: String(partNumber), uploadId };
        const length = size === null ? {} : { contentLength: size };
        blueprints.push({
          url: await presign({ method: 'PUT', key: Key, query, expiresAt, ...length }),
          method: 'PUT',
          headers: none,
          body: '',
        });
      }
      return blueprints;
    },

    async presignRead(key, { expiresAt, fileName }) {
      const query = { 'response-content-disposition': attachment(fileName), 'response-content-type': 'application/octet-stream' };
      return { method: 'GET', url: await presign({ method: 'GET', key: at(key).Key, query, expiresAt }) };
    },

    async beginWhole(objects, expiresAt) {
      const uploads: WholeUpload[] = [];
      for (const [index, { key, size }] of objects.entries()) {
        if (index % signedAtOnce === 0) await nextTurn();
        uploads.push({ uploadId: wholeId, put: await singlePut.blueprint(key, size, expiresAt) });
      }
      return uploads;
    },

    lateSeconds: wholeSeconds,

    begin: (key) =>
      explained(async () => {
        const { UploadId } = await client.send(new CreateMultipartUploadCommand(at(key)));
        if (!UploadId)
          throw new StorageError('storage_unavailable', 'The object storage began an upload and did not name it. Try again soon.');
        return UploadId;
      }),

    putPart: ({ key, uploadId, ...part }, signal) => sendPart(client, { ...at(key), UploadId: uploadId }, part, signal),

    listParts,

    bytesReceived: (key) =>
      explained(async () => {
        const { Bucket, Key } = at(key);
        let most = 0;
        for (const uploadId of await unfinished(client, Bucket, Key)) {
          // It may be completed or aborted meanwhile.
          const parts = await listParts(key, uploadId).catch((error) => {
            if (s3Error(error).code === 'no_such_upload') return [];
            throw error;
          });
          most = Math.max(
            most,
            parts.reduce((sum, { size }) => sum + size, 0),
          );
        }
        return most;
      }),

    async complete(key, uploadId, parts) {
      if (uploadId === wholeId) return singlePut.check(key, parts);
      const size = parts.reduce((sum, part) => sum + part.size, 0);
      const ascending = parts.toSorted((a, b) => a.partNumber - b.partNumber);
      const Parts = ascending.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` }));
      try {
        const done = await client.send(new CompleteMultipartUploadCommand({ ...at(key), UploadId: uploadId, MultipartUpload: { Parts } }));
        // Ceph's gateway does not say it here.
        return { size, etag: unquoted(done.ETag) || ((await head(key))?.etag ?? '') };
      } catch (error) {
        const failure = s3UploadError(error);
        if (failure.code !== 'no_such_upload') throw failure;
        return completedBefore(key, size, failure);
      }
    },

    completeAll: (uploads) =>
      pLimit(checkedAtOnce).map(uploads, async ({ key, uploadId, parts }) => {
        if (uploadId !== wholeId) return new StorageError('part_missing', 'This upload has parts, which are put together one by one.');
        try {
          return await singlePut.check(key, parts);
        } catch (error) {
          return s3Error(error);
        }
      }),

    abort: (key) =>
      explained(async () => {
        const { Bucket, Key } = at(key);
        for (const UploadId of await unfinished(client, Bucket, Key)) {
          try {
            await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
          } catch (error) {
            if (s3UploadError(error).code !== 'no_such_upload') throw error;
          }
        }
      }),

    head,

    read: (key, range) =>
      explained(async () => {
        const Range = range ? { Range: rangeOf(range.start, range.end - range.start + 1) } : {};
        const { Body } = await client.send(new GetObjectCommand({ ...at(key), ...Range }));
        return Body instanceof Readable ? Body : Readable.from([]);
      }),

    write: (key, bytes) =>
      explained(async () => {
        const done = await client.send(new PutObjectCommand({ ...at(key), Body: bytes, ContentLength: bytes.length }));
        return { size: bytes.length, etag: unquoted(done.ETag) };
      }),

    delete: (key) =>
      explained(async () => {
        try {
          await client.send(new DeleteObjectCommand(at(key)));
        } catch (error) {
          if (s3Error(error).code !== 'no_such_object') throw error;
        }
      }),

    list: (keyPrefix, after) =>
      explained(async () => {
        const From = after === '' ? {} : { StartAfter: prefix + after };
        const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + keyPrefix, ...From }));
        return (page.Contents ?? []).map(({ Key = '', Size = 0, ETag, LastModified = new Date() }) => ({
          key: Key.slice(prefix.length),
          size: Size,
          etag: unquoted(ETag),
          modified: LastModified,
        }));
      }),

    listUploads: (after) =>
      explained(async () => {
        const markers = after ? { KeyMarker: prefix + after.key, UploadIdMarker: after.uploadId } : {};
        const page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...markers }));
        return (page.Uploads ?? []).map(({ Key = '', UploadId = '', Initiated = new Date() }) => ({
          key: Key.slice(prefix.length),
          uploadId: UploadId,
          started: Initiated,
        }));
      }),

    locate: (key) => ({ origins, bucket, key: at(key).Key }),

    async check() {
      storage.chunkChecksum = await checkBucket(client, bucket, prefix, now());
    },

    async close() {
      client.destroy();
    },
  };
  return storage;
}

/** Upload ids of exactly this key. */
async function unfinished(client: S3Client, Bucket: string, Key: string): Promise<string[]> {
  const ids: string[] = [];
  let markers: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (let more = true; more; ) {
    const page = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key, ...markers }));
    for (const upload of page.Uploads ?? []) if (upload.Key === Key && upload.UploadId) ids.push(upload.UploadId);
    markers = {
      ...(page.NextKeyMarker ? { KeyMarker: page.NextKeyMarker } : {}),
      ...(page.NextUploadIdMarker ? { UploadIdMarker: page.NextUploadIdMarker } : {}),
    };
    more = page.IsTruncated === true;
  }
  return ids;
}
