import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
} from '@aws-sdk/client-s3';
import { ProviderError } from '../errors.ts';
import { exactLength } from '../exact-length.ts';
import { choosePartSize } from '../parts.ts';
import type { CloudObject, CloudProvider, OpenUpload, StoredPart, UploadPlan } from '../ports.ts';
import type { S3Config } from './config.ts';
import { copyDiffers, isMadeOf } from './copies.ts';
import { objectMadeBy, takenMeanwhile } from './made-object.ts';
import { failedWith, isMd5, removeObject, unquoted } from './objects.ts';
import type { SendIfFree } from './only-if-free.ts';
import { type PutAnswer, type PutInput, putCommand } from './put-bytes.ts';
import type { S3Session } from './session.ts';
import { fromHandle, isWhole, layoutOf, objectFields, type S3Upload, toHandle } from './upload-handle.ts';

const base64 = (hex: string | undefined): string => Buffer.from(hex ?? '', 'hex').toString('base64');

const gone = () => new ProviderError('upload_gone', 'The storage has ended this upload. The file is sent from its beginning.');
const partMissing = () => new ProviderError('part_missing', 'The storage does not have one of the parts. It is sent again.');
const wrongLength = () => new Error('The part has other bytes than it was said to have.');

type Uploads = Pick<CloudProvider, 'begin' | 'resume' | 'putPart' | 'complete' | 'abort'>;

const opened = (upload: S3Upload, stored: readonly StoredPart[]): OpenUpload => ({
  state: 'open',
  handle: toHandle(upload),
  layout: layoutOf(upload),
  stored,
  ...(upload.copyOf !== undefined && { copyOf: upload.copyOf }),
});

/** Sends a part as a stream of exactly its length. An error of its source is told as it is. */
async function streamed(
  session: S3Session,
  input: PutInput,
  { source, size }: { readonly source: Readable; readonly size: number },
  signal: AbortSignal,
): Promise<PutAnswer> {
  // Of the source alone: what is sent is destroyed with the connection's errors too.
  let failure: Error | undefined;
  source.once('error', (error) => {
    failure ??= error;
  });
  const stream = exactLength(source, size, () => {
    failure ??= wrongLength();
    return failure;
  });
  stream.once('error', () => {});
  try {
    const command = putCommand({ ...input, Body: stream, ContentLength: size });
    return await session.send((client) => client.send(command, { abortSignal: signal }), signal);
  } catch (error) {
    if (failure && !signal.aborted) throw failure;
    throw error;
  } finally {
    stream.destroy();
  }
}

/** Files on their way into a bucket: small ones by one PUT, others in parts. */
export function s3Uploads(config: S3Config, plan: UploadPlan, session: S3Session, ifFree: SendIfFree): Uploads {
  const { bucket, quirks } = config;
  const at = ({ key }: S3Upload) => ({ Bucket: bucket, Key: key });
  /** Keys for which an upload may have begun whose answer was lost. */
  const uncertain = new Set<string>();
  /** Uploads whose object may have been made by a PUT whose answer was lost: where versions are kept, a second one stays. */
  const unanswered = new Set<string>();

  const asObject = (upload: S3Upload) => objectFields(config, upload);

  const finished = (upload: S3Upload, signal: AbortSignal) => objectMadeBy(bucket, session, upload, signal);

  const abortUpload = async (key: string, UploadId: string, signal: AbortSignal): Promise<void> => {
    const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId });
    await session
      .send((client) => client.send(command, { abortSignal: signal }), signal)
      .catch((error: unknown) => {
        if (!failedWith(error, 'upload_gone', 'not_found')) throw error;
      });
  };

  /** Ends every unfinished upload of exactly this key: all are ours, since the key is. */
  async function abortAll(key: string, signal: AbortSignal): Promise<void> {
    let KeyMarker: string | undefined;
    let UploadIdMarker: string | undefined;
    do {
      const request = {
        Bucket: bucket,
        Prefix: key,
        ...(KeyMarker !== undefined && { KeyMarker }),
        ...(UploadIdMarker !== undefined && { UploadIdMarker }),
      };
      const page = await session.send((client) => client.send(new ListMultipartUploadsCommand(request), { abortSignal: signal }), signal);
      for (const { Key, UploadId } of page.Uploads ?? []) if (Key === key && UploadId) await abortUpload(key, UploadId, signal);
      KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
      UploadIdMarker = page.NextUploadIdMarker;
    } while (KeyMarker !== undefined);
  }

  /** The finished object, once nothing else is left under its key. */
  async function settled(upload: S3Upload, object: CloudObject, signal: AbortSignal): Promise<CloudObject> {
    if (upload.doubtful) await abortAll(upload.key, signal);
    return object;
  }

  async function listParts(upload: S3Upload, UploadId: string, signal: AbortSignal): Promise<StoredPart[]> {
    const parts: StoredPart[] = [];
    let PartNumberMarker: string | undefined;
    do {
      const request = { ...at(upload), UploadId, ...(PartNumberMarker !== undefined && { PartNumberMarker }) };
      const page = await session.send((client) => client.send(new ListPartsCommand(request), { abortSignal: signal }), signal);
      for (const { PartNumber = 0, Size = 0, ETag } of page.Parts ?? [])
        parts.push({ number: PartNumber, size: Size, tag: unquoted(ETag) });
      PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (PartNumberMarker !== undefined);
    return parts.sort((one, other) => one.number - other.number);
  }

  return {
    async begin({ path, size, modified, contentType, partSize, copyOf, onlyIfFree, save }, signal) {
      const upload: S3Upload = {
        key: path,
        id: randomUUID(),
        size,
        partSize: choosePartSize(plan, size, partSize),
        contentType,
        modified: modified.getTime() / 1000,
        uploadId: null,
        doubtful: uncertain.has(path),
        ...(copyOf && { copyOf: copyOf.etag }),
        ...(onlyIfFree && { onlyIfFree }),
      };
      await save(toHandle(upload));
      if (isWhole(upload)) return opened(upload, []);
      if (upload.doubtful) await abortAll(path, signal);
      uncertain.add(path);
      const command = new CreateMultipartUploadCommand({ ...at(upload), ...asObject(upload) });
      const { UploadId } = await session.send((client) => client.send(command, { abortSignal: signal }), signal);
      if (!UploadId)
        throw new ProviderError('bad_answer', 'The storage began an upload without naming it. Check endpoint and kind of provider.');
      const started = { ...upload, uploadId: UploadId };
      await save(toHandle(started));
      uncertain.delete(path);
      return opened(started, []);
    },

    async resume({ handle }, signal) {
      const upload = fromHandle(handle);
      const open = (stored: readonly StoredPart[]) => opened(upload, stored);
      if (upload.uploadId !== null) {
        try {
          const stored = await listParts(upload, upload.uploadId, signal);
          // Some servers go on listing the parts of a completed upload.
          const object = stored.reduce((sum, { size }) => sum + size, 0) === upload.size ? await finished(upload, signal) : null;
          return object ? { state: 'complete', object: await settled(upload, object, signal) } : open(stored);
        } catch (error) {
          if (!failedWith(error, 'upload_gone', 'not_found')) throw error;
        }
      }
      const object = await finished(upload, signal);
      // A copy whose answer was lost is compared now. Parts were, before they became an object.
      if (object && isWhole(upload) && upload.copyOf !== undefined && !isMadeOf(upload.copyOf, [object.etag])) return { state: 'gone' };
      if (object) return { state: 'complete', object: await settled(upload, object, signal) };
      if (isWhole(upload)) return open([]);
      // Another process asked for it to begin, and that may still be on its way.
      if (upload.uploadId === null) uncertain.add(upload.key);
      return { state: 'gone' };
    },

    async putPart({ handle, number, size, digests, open, pieces }, signal) {
      const upload = fromHandle(handle);
      const { uploadId } = upload;
      if (!isWhole(upload) && uploadId === null) throw gone();
      const there = unanswered.has(upload.id) ? await finished(upload, signal) : null;
      if (there && there.etag === digests.md5) return { number, size, tag: there.etag };
      const ContentMD5 = base64(digests.md5);
      const input = isWhole(upload)
        ? { ...at(upload), ...asObject(upload), ContentMD5 }
        : { ...at(upload), UploadId: uploadId!, PartNumber: number, ContentMD5 };
      // Without bytes there is nothing to stream.
      const inMemory = size === 0 ? [] : pieces;
      if (inMemory && inMemory.reduce((sum, { length }) => sum + length, 0) !== size) throw wrongLength();
      if (quirks.keepsVersions && isWhole(upload)) unanswered.add(upload.id);
      const send = (condition: { IfNoneMatch?: '*' }) =>
        inMemory
          ? session.put({ input: { ...input, ...condition }, pieces: inMemory }, signal)
          : streamed(session, { ...input, ...condition }, { source: open(0), size }, signal);
      let answer: PutAnswer;
      try {
        answer = await (isWhole(upload) ? ifFree(upload, send) : send({}));
      } catch (error) {
        if (!isWhole(upload) || !upload.onlyIfFree || !failedWith(error, 'changed')) throw error;
        // By this upload itself, if an answer was lost.
        const made = await finished(upload, signal);
        if (!made) throw takenMeanwhile();
        answer = { ETag: made.etag, ServerSideEncryption: undefined };
      }
      const { ETag, ServerSideEncryption } = answer;
      unanswered.delete(upload.id);
      const tag = unquoted(ETag);
      const isDigest = quirks.partEtagIsMd5 && (ServerSideEncryption === undefined || ServerSideEncryption === 'AES256');
      if (isDigest && isMd5(tag) && tag !== digests.md5) {
        throw new ProviderError('corrupted', 'Bytes arrived changed at the storage. They are sent again.');
      }
      return { number, size, tag };
    },

    async complete({ handle, parts }, signal) {
      const upload = fromHandle(handle);
      const tags = parts.map(({ tag }) => tag);
      if (upload.copyOf !== undefined && !isMadeOf(upload.copyOf, tags)) throw copyDiffers();
      if (isWhole(upload)) {
        const [part] = parts;
        if (part && parts.length === 1 && part.size === upload.size) {
          return { id: upload.key, size: upload.size, etag: part.tag, modified: null, archived: false };
        }
        throw partMissing();
      }
      if (upload.uploadId === null) throw gone();
      if (parts.reduce((sum, { size }) => sum + size, 0) !== upload.size) throw partMissing();
      const request = {
        ...at(upload),
        UploadId: upload.uploadId,
        MultipartUpload: { Parts: parts.map(({ number, tag }) => ({ PartNumber: number, ETag: `"${tag}"` })) },
      };
      try {
        await ifFree(upload, (condition) => {
          const command = new CompleteMultipartUploadCommand({ ...request, ...condition });
          return session.send((client) => client.send(command, { abortSignal: signal }), signal);
        });
      } catch (error) {
        // Only looking tells whether a failed completion has completed.
        if (!failedWith(error, 'upload_gone', 'not_found', 'busy', 'unreachable', 'bad_answer', 'part_missing', 'changed')) throw error;
        const object = await finished(upload, signal);
        if (object) return settled(upload, object, signal);
        if (failedWith(error, 'changed') && upload.onlyIfFree) throw takenMeanwhile();
        throw failedWith(error, 'not_found') ? gone() : error;
      }
      // The answer's etag may be empty, and a success may be another's: the object itself tells.
      const object = await finished(upload, signal);
      if (!object)
        throw new ProviderError(
          'bad_answer',
          'The storage says that the file is complete, but it is not there as it was sent. It is looked at again.',
        );
      const isComparable = quirks.multipartEtagIsMd5 && object.etag.endsWith(`-${parts.length}`) && tags.every(isMd5);
      if (isComparable && !isMadeOf(object.etag, tags)) {
        throw new ProviderError('bad_answer', 'The storage made a file of other parts than it was told. It is looked at again.');
      }
      return settled(upload, object, signal);
    },

    async abort({ handle }, signal) {
      const upload = fromHandle(handle);
      if (!isWhole(upload)) {
        if (upload.uploadId === null || upload.doubtful) await abortAll(upload.key, signal);
        else await abortUpload(upload.key, upload.uploadId, signal);
        return;
      }
      if (quirks.keepsVersions || (await finished(upload, signal))) {
        await removeObject(config, session, { key: upload.key, upload: upload.id }, signal);
      }
    },
  };
}
