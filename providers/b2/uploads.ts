import { createHash, randomUUID } from 'node:crypto';
import { ProviderError } from '../errors.ts';
import { exactLength } from '../exact-length.ts';
import type { JsonRecord } from '../http/json.ts';
import { partRanges } from '../parts.ts';
import type { BeginRequest, CloudObject, CloudProvider, PutPartRequest, StoredPart } from '../ports.ts';
import { type B2Api, type B2File, encodedName, fileIn, filesIn, publicFile, readRecord } from './api.ts';
import { noSense } from './errors.ts';
import { removeFile, versionsOf } from './files.ts';
import { fileOf, handleOf, infoOf, isFrom, isWhole, layoutOf, newFile, type UploadFile } from './upload-file.ts';
import type { UploadUrl, UploadUrls } from './upload-urls.ts';

/** Addresses that one request asks for, one after the other, while B2 says that a server is full or busy. */
const maxServers = 4;

const gone = () => new ProviderError('upload_gone', 'Backblaze has ended this upload. The file is sent from its beginning.');
const missing = () => new ProviderError('part_missing', 'Backblaze does not have all parts of the file. They are compared again.');
const wrongLength = () => new Error('The part has other bytes than it was said to have.');

const isCode = (error: unknown, code: string): boolean => error instanceof ProviderError && error.code === code;

/** Keys of upload addresses: of the bucket, or of a large file. */
const bucketKey = 'bucket';

/** Asks for an address to upload to. */
export async function askUploadUrl(api: B2Api, key: string, life: number, signal: AbortSignal): Promise<UploadUrl> {
  const answer =
    key === bucketKey
      ? await api.call('b2_get_upload_url', { bucketId: await api.bucketId(signal) }, signal)
      : await api.ask('b2_get_upload_part_url', { fileId: key }, signal).then((asked) => {
          if (asked.status === 400 || asked.status === 404) throw gone();
          return readRecord(asked.bytes);
        });
  const { uploadUrl, authorizationToken } = answer;
  if (typeof uploadUrl !== 'string' || !URL.canParse(uploadUrl) || typeof authorizationToken !== 'string') throw noSense();
  return { url: uploadUrl, token: authorizationToken, until: life };
}

type Uploads = Pick<CloudProvider, 'resume' | 'putPart' | 'complete' | 'abort'> & {
  /** With a size of parts that has been chosen. */
  begin(request: BeginRequest & { readonly partSize: number }, signal: AbortSignal): ReturnType<CloudProvider['begin']>;
  /** Makes a file of no bytes. */
  makeEmpty(name: string, signal: AbortSignal): Promise<void>;
  /** Ends the unfinished large files of exactly this name which `isOurs`. */
  cancelUnfinished(name: string, isOurs: (file: B2File) => boolean, signal: AbortSignal): Promise<void>;
};

/** Files of one part are one request; others are large files, whose parts B2 compares and keeps until they are finished. */
export function createUploads(api: B2Api, urls: UploadUrls): Uploads {
  /** Names for which a large file may have begun whose answer was lost. */
  const uncertain = new Set<string>();
  /** Uploads whose file may be there though no answer said so: a second one would stay as a version. */
  const unanswered = new Set<string>();

  /**
   * Sends bytes to an address of `key`. A server that is full or busy is the usual case, not a failure: another is asked for,
   * unless the bytes have `arrived` all the same.
   */
  async function post<T>(
    key: string,
    headers: Readonly<Record<string, string>>,
    { size, open }: Pick<PutPartRequest, 'size' | 'open'>,
    { read, arrived }: { readonly read: (answer: JsonRecord) => T; readonly arrived?: () => Promise<T | null> },
    signal: AbortSignal,
  ): Promise<T> {
    for (let servers = 1; ; servers++) {
      const address = await urls.take(key, signal);
      const body = size === 0 ? new Uint8Array() : { stream: exactLength(open(0), size, wrongLength), size };
      const request = { url: address.url, headers: { ...headers, authorization: address.token }, body };
      const answer = await api.upload(request, signal).catch((failure: unknown) => {
        if (failure instanceof ProviderError && failure.code === 'expired') urls.drop(address);
        throw failure;
      });
      if (answer.status < 300) {
        urls.giveBack(key, address);
        return read(readRecord(answer.bytes));
      }
      const error = api.errorOf(answer);
      const isFull = answer.status >= 500 || answer.status === 408;
      if (!isFull || error.retryAfter > 0 || servers === maxServers) throw error;
      const there = await arrived?.();
      if (there) return there;
    }
  }

  const fileHeaders = (name: string, contentType: string, sha1: string): Readonly<Record<string, string>> => ({
    'x-bz-file-name': encodedName(name),
    'content-type': contentType,
    'x-bz-content-sha1': sha1,
  });

  /** The file that this upload has made, or null. */
  const madeBy = async ({ path, upload }: UploadFile, signal: AbortSignal): Promise<B2File | null> =>
    (await versionsOf(api, path, signal)).find((file) => isFrom(file, upload)) ?? null;

  /** What the large file has become, if it is finished. */
  async function finished(fileId: string, signal: AbortSignal): Promise<B2File | null> {
    const answer = await api.ask('b2_get_file_info', { fileId }, signal);
    if (answer.status >= 300) return null;
    const file = fileIn(readRecord(answer.bytes));
    return file.action === 'upload' ? file : null;
  }

  /** The parts that B2 has, or null if there is no such unfinished large file. */
  async function partsOf(file: UploadFile, fileId: string, signal: AbortSignal): Promise<StoredPart[] | null> {
    const sizes = [...partRanges(layoutOf(file))].map(({ size }) => size);
    const stored: StoredPart[] = [];
    let startPartNumber: unknown = 1;
    do {
      const answer = await api.ask('b2_list_parts', { fileId, startPartNumber, maxPartCount: 1000 }, signal);
      if (answer.status >= 300) return null;
      const { parts, nextPartNumber } = readRecord(answer.bytes);
      if (!Array.isArray(parts)) throw noSense();
      for (const { partNumber, contentLength, contentSha1 } of parts as readonly JsonRecord[]) {
        const number = Number(partNumber);
        if (sizes[number - 1] === contentLength) stored.push({ number, size: Number(contentLength), tag: String(contentSha1) });
      }
      startPartNumber = nextPartNumber;
    } while (typeof startPartNumber === 'number');
    return stored;
  }

  async function putWhole(file: UploadFile, request: PutPartRequest, signal: AbortSignal): Promise<StoredPart> {
    const { number, size, digests } = request;
    const sha1 = digests.sha1 ?? '';
    const arrived = async (): Promise<B2File | null> => {
      const made = await madeBy(file, signal);
      return made?.sha1 === sha1 ? made : null;
    };
    const there = unanswered.has(file.upload) ? await arrived() : null;
    const info = Object.entries(infoOf(file)).map(([name, value]) => [`x-bz-info-${name}`, value]);
    const headers = { ...fileHeaders(file.path, file.contentType, sha1), ...Object.fromEntries(info) };
    unanswered.add(file.upload);
    const { fileId } = there ?? (await post(bucketKey, headers, request, { read: fileIn, arrived }, signal));
    unanswered.delete(file.upload);
    return { number, size, tag: fileId };
  }

  async function cancel(fileId: string, signal: AbortSignal): Promise<void> {
    // Refused where there is nothing to cancel any more.
    await api.ask('b2_cancel_large_file', { fileId }, signal);
  }

  async function cancelUnfinished(name: string, isOurs: (file: B2File) => boolean, signal: AbortSignal): Promise<void> {
    const bucketId = await api.bucketId(signal);
    let startFileId: unknown;
    do {
      const request = { bucketId, namePrefix: name, maxFileCount: 100, ...(typeof startFileId === 'string' && { startFileId }) };
      const page = await api.call('b2_list_unfinished_large_files', request, signal);
      for (const file of filesIn(page)) if (file.id === name && isOurs(file)) await cancel(file.fileId, signal);
      startFileId = page['nextFileId'];
    } while (typeof startFileId === 'string');
  }

  const cancelOurs = (file: UploadFile, signal: AbortSignal): Promise<void> =>
    cancelUnfinished(file.path, (one) => isFrom(one, file.doubtful ? null : file.upload), signal);

  /** The finished file, once nothing else is left under its name. */
  async function settled(file: UploadFile, made: B2File, signal: AbortSignal): Promise<CloudObject> {
    if (made.size !== file.size) throw noSense();
    if (file.doubtful) await cancelOurs(file, signal);
    return publicFile(made);
  }

  return {
    async begin(request, signal) {
      signal.throwIfAborted();
      const { path, save, partSize } = request;
      const file = newFile(request, partSize, randomUUID(), uncertain.has(path));
      const open = (handle: UploadFile) =>
        ({ state: 'open', handle: handleOf(handle), layout: layoutOf(file), stored: [] as readonly StoredPart[] }) as const;
      await save(handleOf(file));
      if (isWhole(file)) return open(file);
      uncertain.add(path);
      const fields = { bucketId: await api.bucketId(signal), fileName: path, contentType: file.contentType, fileInfo: infoOf(file) };
      const { fileId } = await api.call('b2_start_large_file', fields, signal);
      if (typeof fileId !== 'string') throw noSense();
      const started = { ...file, fileId };
      await save(handleOf(started));
      uncertain.delete(path);
      return open(started);
    },

    async resume({ handle }, signal) {
      const file = fileOf(handle);
      const { fileId } = file;
      const made = fileId === null ? await madeBy(file, signal) : await finished(fileId, signal);
      if (made) return { state: 'complete', object: await settled(file, made, signal) };
      const open = (stored: readonly StoredPart[]) => ({ state: 'open', handle, layout: layoutOf(file), stored }) as const;
      if (isWhole(file)) return open([]);
      const stored = fileId === null ? null : await partsOf(file, fileId, signal);
      return stored ? open(stored) : { state: 'gone' };
    },

    async putPart(request, signal) {
      signal.throwIfAborted();
      const { number, size, digests } = request;
      const file = fileOf(request.handle);
      if (isWhole(file)) return await putWhole(file, request, signal);
      if (file.fileId === null) throw gone();
      const tag = digests.sha1 ?? '';
      try {
        await post(file.fileId, { 'x-bz-part-number': String(number), 'x-bz-content-sha1': tag }, request, { read: () => tag }, signal);
      } catch (error) {
        // How a server refuses a part of a large file that has ended is not documented.
        if (!isCode(error, 'misconfigured') || (await partsOf(file, file.fileId, signal))) throw error;
        throw gone();
      }
      return { number, size, tag };
    },

    async complete({ handle, parts }, signal) {
      signal.throwIfAborted();
      const file = fileOf(handle);
      const { fileId } = file;
      if (parts.reduce((sum, { size }) => sum + size, 0) !== file.size) throw missing();
      if (isWhole(file)) {
        const [part] = parts;
        if (!part || parts.length !== 1) throw missing();
        return { id: file.path, size: file.size, etag: part.tag, modified: null, archived: false };
      }
      if (fileId === null) throw gone();
      const answer = await api.ask('b2_finish_large_file', { fileId, partSha1Array: parts.map(({ tag }) => tag) }, signal);
      if (answer.status < 300) return await settled(file, fileIn(readRecord(answer.bytes)), signal);
      // It is refused where it was finished before; the answer may have been lost.
      const made = await finished(fileId, signal);
      if (made) return await settled(file, made, signal);
      const stored = await partsOf(file, fileId, signal);
      if (!stored) throw gone();
      const tags = new Map(stored.map(({ number, tag }) => [number, tag]));
      throw parts.every(({ number, tag }) => tags.get(number) === tag) ? api.errorOf(answer) : missing();
    },

    async abort({ handle }, signal) {
      signal.throwIfAborted();
      const file = fileOf(handle);
      if (isWhole(file)) return void (await removeFile(api, { name: file.path, upload: file.upload }, signal));
      if (file.fileId !== null) await cancel(file.fileId, signal);
      if (file.fileId === null || file.doubtful) await cancelOurs(file, signal);
    },

    async makeEmpty(name, signal) {
      const sha1 = createHash('sha1').digest('hex');
      const headers = fileHeaders(name, 'application/octet-stream', sha1);
      await post(bucketKey, headers, { size: 0, open: () => noBytes() }, { read: fileIn }, signal);
    },

    cancelUnfinished,
  };
}

const noBytes = (): never => {
  throw wrongLength();
};
