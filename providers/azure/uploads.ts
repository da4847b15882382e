import { randomBytes } from 'node:crypto';
import { ProviderError } from '../errors.ts';
import { exactLength } from '../exact-length.ts';
import { choosePartSize, partRanges } from '../parts.ts';
import type { CloudObject, CloudProvider, Digests, OpenUpload, StoredPart, UploadHandle, UploadPlan } from '../ports.ts';
import { bareEtag, dateOf, objectOf, ownerHeader, placeholder, quoted } from './blobs.ts';
import { type Block, blockId, blockList, hasOtherLength, isOurs, readUncommitted, uploadNameLength } from './blocks.ts';
import type { AzureRequests } from './requests.ts';

const mebibyte = 1024 * 1024;

export const azurePlan: UploadPlan = {
  smallestPart: 1,
  // Put Block takes 4,000 MiB; a part of a single one goes by Put Blob, which takes more.
  largestPart: 4000 * mebibyte,
  usualPart: 16 * mebibyte,
  partMultiple: 1,
  maxParts: 50_000,
  largestFile: 50_000 * 4000 * mebibyte,
  dictatesParts: false,
  order: 'any',
  partDigests: ['md5'],
  digestsToBegin: [],
  // Azure checks the blocks' digests and keeps the whole file's for who reads it later: it computes none of its own.
  digestsToComplete: ['md5'],
};

/** What a handle holds. `name` is random; it stands in the ids of the blocks and in the metadata of the file. */
interface Upload {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly partSize: number;
  readonly modified: string;
  readonly contentType: string;
  readonly onlyIfFree: boolean;
}

function uploadIn(handle: UploadHandle): Upload {
  const { name, path, size, partSize, modified, contentType, onlyIfFree = false } = handle as unknown as Upload;
  if (typeof name !== 'string' || name.length !== uploadNameLength || typeof path !== 'string') throw gone();
  return { name, path, size, partSize, modified, contentType, onlyIfFree };
}

const gone = (): ProviderError => new ProviderError('upload_gone', 'There is no such upload any more. The file is begun again.');

const takenMeanwhile = (cause: unknown): ProviderError =>
  new ProviderError(
    'exists',
    'Somebody else has stored a file of this name meanwhile. It was not replaced. Move or rename it, then retry.',
    {
      cause,
    },
  );

const wrongLength = (): Error => new Error('The part has other bytes than it was said to have.');

/** One part is the whole file, sent as such. */
const isWhole = ({ size, partSize }: Upload): boolean => size <= partSize;

const layoutOf = ({ size, partSize }: Upload) => ({ fileSize: size, partSize });

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** Aborted uploads remembered, so that no part that comes too late leaves a block. */
const rememberedAborts = 10_000;

/** Most bytes of a list of blocks: 100,000 may be unfinished. */
const maxListBytes = 16 * mebibyte;

type Uploads = Pick<CloudProvider, 'begin' | 'resume' | 'putPart' | 'complete' | 'abort'>;

export interface AzureUploadsOptions {
  readonly requests: AzureRequests;
  /** The headers of a blob, or null. */
  readonly headersOf: (path: string, signal: AbortSignal) => Promise<Readonly<Record<string, string>> | null>;
}

export function createAzureUploads({ requests, headersOf }: AzureUploadsOptions): Uploads {
  const aborted = new Set<string>();

  const blobHeaders = ({ name, contentType, modified, onlyIfFree }: Upload, md5: string | undefined): Record<string, string> => ({
    'x-ms-blob-content-type': /^[\x20-\x7e]{1,200}$/.test(contentType) ? contentType : 'application/octet-stream',
    [ownerHeader]: name,
    // As rclone keeps it.
    'x-ms-meta-mtime': modified,
    ...(onlyIfFree && { 'if-none-match': '*' }),
    ...(md5 !== undefined && { 'x-ms-blob-content-md5': base64(md5) }),
  });

  async function finished({ name, path }: Upload, signal: AbortSignal): Promise<CloudObject | null> {
    const headers = await headersOf(path, signal);
    return headers?.[ownerHeader] === name ? objectOf(path, { headers }) : null;
  }

  /** What makes the file. One that this upload has made already, by a request whose answer was lost, is no obstacle. */
  async function commit(upload: Upload, request: Parameters<AzureRequests['send']>[0], signal: AbortSignal): Promise<CloudObject> {
    const { path, size, onlyIfFree } = upload;
    try {
      const { etag = '', 'last-modified': modified = '' } = (await requests.send(request, signal)).headers;
      return { id: path, size, etag: bareEtag(etag), modified: dateOf(modified), archived: false };
    } catch (error) {
      if (!onlyIfFree || !(error instanceof ProviderError) || !['exists', 'changed'].includes(error.code)) throw error;
      const made = await finished(upload, signal);
      if (made) return made;
      throw takenMeanwhile(error);
    }
  }

  async function uncommitted(path: string, signal: AbortSignal): Promise<readonly Block[]> {
    try {
      const query = { comp: 'blocklist', blocklisttype: 'uncommitted' };
      return readUncommitted((await requests.send({ method: 'GET', path, query, needs: 'r' }, signal, maxListBytes)).bytes);
    } catch (error) {
      if (error instanceof ProviderError && error.code === 'not_found') return [];
      throw error;
    }
  }

  const removeIfUnchanged = (path: string, etag: string, signal: AbortSignal) =>
    requests.send({ method: 'DELETE', path, headers: { 'if-match': quoted(etag) }, needs: 'd' }, signal);

  /**
   * Drops all unfinished blocks of a path at which there is no file. Azure has no call for it, but they go when a list
   * without them is committed. Rejects with `exists` where there is a file, which stays as it is.
   */
  async function dropBlocks(path: string, signal: AbortSignal): Promise<void> {
    const headers = { 'content-type': 'application/xml', 'if-none-match': '*', [ownerHeader]: placeholder };
    const request = { method: 'PUT', path, query: { comp: 'blocklist' }, headers, body: blockList([]), needs: 'w' } as const;
    const answer = await requests.send(request, signal);
    await removeIfUnchanged(path, bareEtag(answer.headers['etag'] ?? ''), signal);
  }

  /** Does nothing if the blob is not the one that is meant, or has become another. */
  async function removeOwned(path: string, owner: string, signal: AbortSignal): Promise<void> {
    const headers = await headersOf(path, signal);
    if (headers?.[ownerHeader] !== owner) return;
    try {
      await removeIfUnchanged(path, bareEtag(headers['etag'] ?? ''), signal);
    } catch (error) {
      if (!(error instanceof ProviderError) || !['not_found', 'changed'].includes(error.code)) throw error;
    }
  }

  async function putWhole(upload: Upload, body: Parameters<AzureRequests['send']>[0]['body'], { md5 }: Digests, signal: AbortSignal) {
    const headers = {
      ...blobHeaders(upload, md5),
      'x-ms-blob-type': 'BlockBlob',
      ...(md5 !== undefined && { 'content-md5': base64(md5) }),
    };
    return (await commit(upload, { method: 'PUT', path: upload.path, headers, ...(body && { body }), needs: 'w' }, signal)).etag;
  }

  return {
    async begin({ path, size, modified, contentType, partSize: wished, onlyIfFree = false, save }, signal) {
      signal.throwIfAborted();
      const name = randomBytes(uploadNameLength / 2).toString('hex');
      const partSize = choosePartSize(azurePlan, size, wished);
      const upload: Upload = { name, path, size, partSize, modified: modified.toISOString(), contentType, onlyIfFree };
      const handle: UploadHandle = { ...upload };
      await save(handle);
      if (!isWhole(upload) && (await uncommitted(path, signal)).some(hasOtherLength)) {
        try {
          await dropBlocks(path, signal);
        } catch (error) {
          if (!(error instanceof ProviderError) || error.code !== 'exists') throw error;
          throw new ProviderError(
            'exists',
            'Another program has begun to replace this file and has not ended. Wait for it, use another name, or remove the file: what was begun ends by itself a week later.',
            { cause: error },
          );
        }
      }
      return { state: 'open', handle, layout: layoutOf(upload), stored: [] };
    },

    async resume({ handle }, signal) {
      const upload = uploadIn(handle);
      if (aborted.has(upload.name)) return { state: 'gone' };
      const object = await finished(upload, signal);
      if (object) return { state: 'complete', object };
      const open: OpenUpload = { state: 'open', handle, layout: layoutOf(upload), stored: [] };
      if (isWhole(upload)) return open;
      const sizes = new Map((await uncommitted(upload.path, signal)).map(({ id, size }) => [id, size]));
      const stored: StoredPart[] = [];
      for (const { number, size } of partRanges(open.layout)) {
        const tag = blockId(upload.name, number);
        if (sizes.get(tag) === size) stored.push({ number, size, tag });
      }
      return { ...open, stored };
    },

    async putPart({ handle, number, size, digests, open }, signal) {
      signal.throwIfAborted();
      const upload = uploadIn(handle);
      if (aborted.has(upload.name)) throw gone();
      const body = size === 0 ? '' : { stream: exactLength(open(0), size, wrongLength), size };
      if (isWhole(upload)) return { number, size, tag: await putWhole(upload, body, digests, signal) };
      const tag = blockId(upload.name, number);
      const headers: Record<string, string> = digests.md5 === undefined ? {} : { 'content-md5': base64(digests.md5) };
      await requests.send({ method: 'PUT', path: upload.path, query: { comp: 'block', blockid: tag }, headers, body, needs: 'w' }, signal);
      return { number, size, tag };
    },

    async complete({ handle, parts, digests }, signal) {
      signal.throwIfAborted();
      const upload = uploadIn(handle);
      if (aborted.has(upload.name)) throw gone();
      const { path, size } = upload;
      const expected = [...partRanges(layoutOf(upload))];
      const isAll = parts.length === expected.length && expected.every((range, index) => range.size === parts[index]?.size);
      if (!isAll) throw new ProviderError('part_missing', 'Parts of the file are missing. They are sent again.');
      if (isWhole(upload)) return { id: path, size, etag: parts[0]!.tag, modified: null, archived: false };
      // Looked for first: to commit the same blocks again would make it another version of the file.
      const before = await finished(upload, signal);
      if (before) return before;
      const body = blockList(expected.map(({ number }) => blockId(upload.name, number)));
      const headers = { 'content-type': 'application/xml', ...blobHeaders(upload, digests.md5) };
      return await commit(upload, { method: 'PUT', path, query: { comp: 'blocklist' }, headers, body, needs: 'w' }, signal);
    },

    async abort({ handle }, signal) {
      signal.throwIfAborted();
      const upload = uploadIn(handle);
      const { name, path } = upload;
      aborted.add(name);
      if (aborted.size > rememberedAborts) for (const oldest of aborted.keys().take(1)) aborted.delete(oldest);
      if (isWhole(upload)) return await removeOwned(path, name, signal);
      const blocks = await uncommitted(path, signal);
      // Those of other programs stay: they may be at work.
      if (blocks.length > 0 && blocks.every(isOurs)) {
        try {
          await dropBlocks(path, signal);
        } catch (error) {
          // There is a file in their place: they end by themselves within a week.
          if (!(error instanceof ProviderError) || error.code !== 'exists') throw error;
        }
      }
      // Of a call before that broke off.
      await removeOwned(path, placeholder, signal);
    },
  };
}
