import { Readable } from 'node:stream';
import { smallFileSize } from '#protocol/limits.ts';
import type { BatchBlueprint, Blueprint } from '#protocol/schema.ts';
import { batchGetPath, batchPutPath } from '#protocol/storage/requests.ts';
import { batchQuery } from '../batch-address.ts';
import { noSuchUpload, StorageError } from '../errors.ts';
import { checkKey, isPackedUploadId, newPackedUploadId, newUploadGroup, packedPrefix } from '../keys.ts';
import { parsePackedKey } from '../packed-key.ts';
import { partQueries } from '../part-address.ts';
import type { ObjectStorage, StoredObject, UploadToComplete, WholeObject, WholeUpload } from '../ports.ts';
import { packedObject } from '../segments/packed-object.ts';
import { signedQuery, signingKey } from '../signature.ts';
import { pack } from './pack.ts';
import { PackedUploads } from './packed-uploads.ts';
import { ReceivedParts } from './received-parts.ts';
import { type SegmentBase, StoredSegments } from './stored-segments.ts';

export interface PackingOptions {
  /** Secret for signed addresses of the gateway, at least 32 bytes; the same in all processes of the service. */
  readonly secret: Uint8Array;
  /** The gateway's public address, without a slash at the end. */
  readonly url: string;
}

export interface PackedStorage {
  readonly storage: ObjectStorage;
  /** What the gateway (gateway.ts) stores and reads. */
  readonly segments: StoredSegments;
  readonly received: ReceivedParts;
}

/** Uploads that begin together share a group, so that few segments have to be looked at for one of them. */
const filesOfGroup = 1_000;

/**
 * A storage whose small objects are packed into segments, which are objects of `base`. Senders and receivers of small
 * objects talk to a gateway of the service, since no address of another storage could give a part of an object; those of all
 * other objects talk to `base` as before. Objects that were stored without packing are read as before.
 *
 * @param packs whether what is stored from now on is packed; what was packed earlier stays readable anyway
 */
export function withPacking(base: SegmentBase, { secret, url }: PackingOptions, packs = true): PackedStorage {
  const signing = signingKey(secret);
  const segments = new StoredSegments(base);
  const received = new ReceivedParts(segments);
  const uploads = new PackedUploads(segments, received);

  const putAddress = (key: string, uploadId: string, size: number, expiresAt: Date): Blueprint => {
    const [query] = partQueries(signing, checkKey(key), uploadId, [{ partNumber: 1, size, maxSize: size }], expiresAt);
    return { url: `${url}/${key}?${query}`, method: 'PUT', headers: {}, body: '' };
  };

  async function completed(upload: UploadToComplete): Promise<StoredObject> {
    const [object] = await uploads.completeAll([upload]);
    if (object instanceof StorageError) throw object;
    return object!;
  }

  async function beginWhole(objects: readonly WholeObject[], expiresAt: Date): Promise<readonly (WholeUpload | null)[]> {
    const others = objects.filter(({ size }) => size > smallFileSize);
    const wholeOfBase = others.length > 0 && base.beginWhole ? await base.beginWhole(others, expiresAt) : [];
    const started: (WholeUpload | null)[] = [];
    let group = '';
    let ofBase = 0;
    for (const { key, size } of objects) {
      if (size > smallFileSize) {
        started.push(wholeOfBase[ofBase++] ?? null);
        continue;
      }
      if ((started.length - ofBase) % filesOfGroup === 0) {
        group = newUploadGroup();
        received.begin(group);
      }
      const uploadId = newPackedUploadId(group);
      started.push({ uploadId, put: putAddress(key, uploadId, size, expiresAt), chunkChecksum: 'blake3' });
    }
    return started;
  }

  async function presignBatch(key: string, expiresAt: Date): Promise<BatchBlueprint> {
    const group = newUploadGroup();
    received.begin(group);
    const query = batchQuery(signing, checkKey(key), { uploadGroup: group, maxSize: smallFileSize }, expiresAt);
    return {
      url: `${url}/${key}?${query}`,
      method: 'PUT',
      headers: {},
      body: '',
      upload_prefix: packedPrefix(group),
      max_size: smallFileSize,
    };
  }

  const storage: ObjectStorage = {
    ...base,
    ...(packs && { batchPutUrl: `${url}/${batchPutPath}`, batchGetUrl: `${url}/${batchGetPath}`, beginWhole, presignBatch }),

    async presignParts(key, uploadId, parts, expiresAt) {
      if (!isPackedUploadId(uploadId)) return await base.presignParts(key, uploadId, parts, expiresAt);
      const [part] = parts;
      if (parts.length !== 1 || part?.partNumber !== 1 || part.size === null || part.size > smallFileSize) throw noSuchUpload();
      return [putAddress(key, uploadId, part.size, expiresAt)];
    },

    async presignRead(key, request) {
      if (!parsePackedKey(key)) return await base.presignRead(key, request);
      const query = signedQuery(signing, 'GET', key, [['fileName', request.fileName]], request.expiresAt);
      return { method: 'GET', url: `${url}/${key}?${query}` };
    },

    async listParts(key, uploadId) {
      if (!isPackedUploadId(uploadId)) return await base.listParts(key, uploadId);
      const part = await uploads.part(checkKey(key), uploadId);
      return part ? [part] : [];
    },

    complete: (key, uploadId, parts) =>
      isPackedUploadId(uploadId) ? completed({ key, uploadId, parts }) : base.complete(key, uploadId, parts),

    async completeAll(batch) {
      const mine = batch.filter(({ uploadId }) => isPackedUploadId(uploadId));
      const others = batch.filter(({ uploadId }) => !isPackedUploadId(uploadId));
      const packed = (await uploads.completeAll(mine)).values();
      const whole = (others.length === 0 ? [] : await completeOthers(base, others)).values();
      return batch.map(({ uploadId }) => (isPackedUploadId(uploadId) ? packed : whole).next().value!);
    },

    async head(key) {
      const place = parsePackedKey(key);
      if (!place) return await base.head(key);
      try {
        return (await segments.exists(place.segment)) ? packedObject(await segments.part(place)) : null;
      } catch (error) {
        if (error instanceof StorageError && error.code === 'no_such_object') return null;
        throw error;
      }
    },

    /** A packed object is read whole and compared with its digest before a byte of it goes out. */
    async read(key, range) {
      const place = parsePackedKey(key);
      if (!place) return await base.read(key, range);
      if (range && (range.start < 0 || range.start > range.end || range.end >= place.length)) throw outside(place.length);
      const bytes = await segments.read(place);
      return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes], { objectMode: false });
    },

    async delete(key) {
      if (!parsePackedKey(key)) await base.delete(key);
    },

    deleteSegment: (segment) => segments.delete(segment),
    listSegments: (olderThan, after) => segments.older(olderThan, after),
    pack: (keys) => pack(segments, keys),
  };
  return { storage, segments, received };
}

async function completeOthers(
  base: ObjectStorage,
  uploads: readonly UploadToComplete[],
): Promise<readonly (StoredObject | StorageError)[]> {
  if (base.completeAll) return await base.completeAll(uploads);
  return uploads.map(() => new StorageError('part_missing', 'This upload has parts, which are put together one by one.'));
}

const outside = (size: number): StorageError =>
  new StorageError('range_not_satisfiable', `The range lies outside the object of ${size} bytes.`, { details: { size } });
