import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';
import type { CloudHttp } from '../http/client.ts';
import { choosePartSize, partRanges } from '../parts.ts';
import type { CloudObject, CloudProvider, OpenUpload, StoredPart, UploadHandle, UploadPlan } from '../ports.ts';
import type { IconikApi } from './api.ts';
import { askForPreviews, closeFile, dropAsset, type FileRecord, findAssets, makeAsset, makeFile, readFile } from './assets.ts';
import { type BucketUploads, changedOnTheWay, gone, isCode, missing } from './bucket-uploads.ts';
import type { Collections } from './collections.ts';
import { objectOf } from './files.ts';
import type { IconikStorage, StorageMethod } from './storage.ts';
import { storedObject } from './stored-object.ts';
import { fileOf, handleOf, isSending, layoutOf, type SendingFile, splitPath, type UploadFile } from './upload-file.ts';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** Which kind of storage it is, is known only after signing in: this holds for both, but for the order of parts. */
export const iconikPlan: UploadPlan = {
  smallestPart: 5 * mebibyte,
  largestPart: 5 * 1024 * mebibyte,
  usualPart: 32 * mebibyte,
  partMultiple: 256 * kibibyte,
  maxParts: 10_000,
  largestFile: 5 * 1024 * 1024 * mebibyte,
  dictatesParts: false,
  order: 'any',
  partDigests: [],
  digestsToBegin: [],
  digestsToComplete: ['crc32c'],
};

const maxBroken = 10_000;

export interface UploadOptions {
  readonly api: IconikApi;
  readonly http: CloudHttp;
  readonly storage: IconikStorage;
  readonly collections: Collections;
  readonly buckets: Readonly<Record<StorageMethod, BucketUploads>>;
  readonly plan: UploadPlan;
  readonly now: () => Date;
}

type Uploads = Pick<CloudProvider, 'begin' | 'resume' | 'putPart' | 'complete' | 'abort'>;

/** A file is an asset of its own, whose file is `OPEN` while its bytes go to the bucket, and then closed. */
export function createUploads({ api, http, storage, collections, buckets, plan, now }: UploadOptions): Uploads {
  const bucketOf = ({ target }: SendingFile): BucketUploads => buckets[target.method];
  const openUpload = (handle: UploadHandle, file: SendingFile, stored: readonly StoredPart[]): OpenUpload => ({
    state: 'open',
    handle,
    layout: layoutOf(file),
    ...(bucketOf(file).order === 'ascending' && { order: 'ascending' }),
    stored,
  });
  const recordOf = ({ asset, target }: SendingFile, signal: AbortSignal) => readFile(api, { asset, file: target.file }, signal);

  function sendingFile(handle: Parameters<typeof fileOf>[0]): SendingFile {
    const file = fileOf(handle);
    if (!isSending(file)) throw gone();
    return file;
  }

  /** What lies in the bucket after an upload whose end nobody saw: an error unless it is the file. */
  async function checkStored(file: SendingFile, record: FileRecord, crc32c: string | undefined, signal: AbortSignal): Promise<void> {
    const object = await storedObject(http, record, signal, now);
    if (!object) throw gone();
    const same = object.size === file.size && (crc32c === undefined || object.crc32c === null || object.crc32c === crc32c);
    if (!same) throw changedOnTheWay();
  }

  /** Files whose beginning broke off in this process, by path: begun again, they leave nothing. */
  const broken = new LRUCache<string, UploadFile>(maxEntries(maxBroken));

  /** The collection, and the asset in it. One that was known may have been removed by somebody: then it is made again. */
  async function makeIn(folder: string, file: UploadFile, signal: AbortSignal): Promise<UploadFile & { readonly asset: string }> {
    for (let attempt = 1; ; attempt++) {
      try {
        const collection = folder === '' ? null : await collections.make(folder, signal);
        return { ...file, collection, asset: await makeAsset(api, { ...file, collection }, signal) };
      } catch (error) {
        if (folder === '' || attempt > 1 || !isCode(error, 'not_found')) throw error;
        collections.forget();
      }
    }
  }

  async function dropLost(file: UploadFile, signal: AbortSignal): Promise<void> {
    if (file.asset !== null && !file.doubtful) return;
    for (const asset of await findAssets(api, file, signal)) if (asset !== file.asset) await dropAsset(api, asset, signal);
  }

  /** Ends an upload with all that it left. */
  async function drop(file: UploadFile, signal: AbortSignal): Promise<void> {
    let refused: unknown;
    if (isSending(file)) {
      try {
        await bucketOf(file).cancel(file, signal);
      } catch (error) {
        // What the bucket does not allow is told, but people shall not find half a file in iconik.
        if (!isCode(error, 'forbidden')) throw error;
        refused = error;
      }
    }
    if (file.asset !== null) await dropAsset(api, file.asset, signal);
    await dropLost(file, signal);
    if (refused !== undefined) throw refused;
  }

  return {
    async begin({ path, size, modified, contentType, partSize, save }, signal) {
      signal.throwIfAborted();
      const method = await storage.method(signal);
      const bucket = buckets[method];
      const before = broken.get(path);
      // Its mark is kept where its asset may turn up later, since iconik's search may not know it yet.
      if (before) await drop(before, signal);
      const doubtful = before !== undefined && (before.doubtful || before.asset === null);
      const upload = doubtful ? before.upload : randomUUID();
      const { folder } = splitPath(path);
      let file: UploadFile = {
        upload,
        path,
        // A place of its own: what iconik deletes later, in its own time, is never this file.
        directory: [folder, randomUUID().replaceAll('-', '').slice(0, 12)].filter((step) => step !== '').join('/'),
        collection: null,
        size,
        // A stream in order takes large parts at no cost, and asks before each what is there.
        partSize: choosePartSize(plan, size, bucket.order === 'any' ? partSize : Math.max(partSize ?? 0, plan.usualPart)),
        contentType,
        modified: modified.toISOString(),
        asset: null,
        doubtful,
        target: null,
      };
      await save(handleOf(file));
      broken.set(path, file);
      const made = await makeIn(folder, file, signal);
      file = made;
      broken.set(path, file);
      await save(handleOf(file));
      const entry = await makeFile(api, made, { asset: made.asset, storage: storage.id, method }, signal);
      const session = await bucket.start(entry, signal);
      const sending: SendingFile = { ...made, target: { file: entry.file, method, session } };
      broken.set(path, sending);
      const handle = handleOf(sending);
      await save(handle);
      broken.delete(path);
      return openUpload(handle, sending, []);
    },

    async resume({ handle }, signal) {
      const file = fileOf(handle);
      if (!isSending(file)) return { state: 'gone' };
      const record = await recordOf(file, signal);
      if (record?.status === 'CLOSED') {
        await dropLost(file, signal);
        return { state: 'complete', object: objectOf(record) };
      }
      if (record?.status !== 'OPEN') return { state: 'gone' };
      const bytes = await bucketOf(file).stored(file, signal);
      if (bytes.state === 'open') return openUpload(handle, file, bytes.parts);
      const object = await storedObject(http, record, signal, now);
      if (object?.size !== file.size) return { state: 'gone' };
      // All bytes are there: only the end is left.
      return openUpload(
        handle,
        file,
        [...partRanges(layoutOf(file))].map(({ number, size }) => ({ number, size, tag: '' })),
      );
    },

    async putPart(request, signal) {
      signal.throwIfAborted();
      const file = sendingFile(request.handle);
      return await bucketOf(file).put(file, request, signal);
    },

    async complete({ handle, parts, digests }, signal): Promise<CloudObject> {
      const file = sendingFile(handle);
      const record = await recordOf(file, signal);
      if (record?.status === 'CLOSED') {
        await dropLost(file, signal);
        return objectOf(record);
      }
      if (record?.status !== 'OPEN') throw gone();
      if (parts.length !== [...partRanges(layoutOf(file))].length) throw missing();
      const finished = await bucketOf(file).finish(file, parts, digests.crc32c, signal);
      if (!finished) await checkStored(file, record, digests.crc32c, signal);
      await closeFile(api, record, signal);
      await askForPreviews(api, record, signal);
      await dropLost(file, signal);
      return objectOf(record);
    },

    async abort({ handle }, signal) {
      signal.throwIfAborted();
      const file = fileOf(handle);
      await drop(file, signal);
      if (broken.get(file.path)?.upload === file.upload) broken.delete(file.path);
    },
  };
}
