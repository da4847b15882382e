import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ProviderError } from '../errors.ts';
import { choosePartSize, partRanges } from '../parts.ts';
import type { BeginRequest, CloudObject, CloudProvider, CompleteRequest, PutPartRequest, StoredPart, UploadPlan } from '../ports.ts';
import { type GcsApi, type GcsObject, publicObject } from './api.ts';
import { headObject, removeObject } from './objects.ts';
import { askSession, cancelSession, insertObject, type SessionState, sendRange, startSession } from './sessions.ts';
import { bytesOf, firstOf } from './source-bytes.ts';
import { fileOf, granularity, handleOf, newFile, resourceOf, tailStart, type UploadFile, uploadMark } from './upload-file.ts';

const mebibyte = 1024 * 1024;

export const gcsPlan: UploadPlan = {
  smallestPart: granularity,
  largestPart: 5 * 1024 * mebibyte,
  // Each part costs a round trip in which nothing flows. A broken one loses less: Google tells what it has of it.
  usualPart: 64 * mebibyte,
  partMultiple: granularity,
  // Google has no such limit; this one bounds what is kept of an upload.
  maxParts: 10_000,
  largestFile: 5 * 1024 * 1024 * mebibyte,
  dictatesParts: false,
  order: 'ascending',
  partDigests: [],
  digestsToBegin: [],
  digestsToComplete: ['crc32c'],
};

/** What this process knows of an upload and another would ask for. */
interface Memory {
  /** Bytes that the session has; null after a request whose outcome is not known. */
  stored: number | null;
  /** The file's last bytes, kept back for `complete`. */
  tail: Buffer | null;
}

/** Uploads whose last bytes are kept back at once: at most 16 MiB. A dropped one has its last part sent again. */
const maxTails = 64;

const gone = () => new ProviderError('upload_gone', 'Google Cloud Storage has ended this upload. The file is sent from its beginning.');
const missing = () =>
  new ProviderError('part_missing', 'Google Cloud Storage does not have all parts of the file. They are compared again.');
const exists = () =>
  new ProviderError(
    'exists',
    'Somebody else has stored a file of this name meanwhile. It was not replaced. Move or rename it, then retry.',
  );
const changedOnTheWay = () =>
  new ProviderError(
    'upload_gone',
    'The file arrived changed at Google Cloud Storage and was dropped there. It is sent from its beginning.',
  );
const nothingStored = () =>
  new ProviderError(
    'busy',
    'Google Cloud Storage kept nothing of what it was sent. It is tried again; if that goes on, look at https://status.cloud.google.com.',
  );

const isCode = (error: unknown, code: string): boolean => error instanceof ProviderError && error.code === code;
const layoutOf = ({ size, partSize }: UploadFile) => ({ fileSize: size, partSize });

type Uploads = Pick<CloudProvider, 'begin' | 'resume' | 'putPart' | 'complete' | 'abort'>;

/**
 * Uploads by resumable sessions: one stream in order, of which Google may keep less than it was sent. The last 256 KiB at
 * most wait in memory for `complete`, so that nothing is seen before, and Google compares the digest before it makes the
 * object. Files of no more than that are one request.
 */
export function createUploads(api: GcsApi): Uploads {
  const memories = new LRUCache<string, Memory>({ max: maxTails });
  const memoryOf = ({ upload }: UploadFile): Memory => {
    const memory = memories.get(upload) ?? { stored: null, tail: null };
    memories.set(upload, memory);
    return memory;
  };

  /** The object that this upload has made, or null. */
  async function madeBy({ path, upload }: UploadFile, signal: AbortSignal): Promise<GcsObject | null> {
    const object = await headObject(api, path, signal);
    return object?.metadata[uploadMark] === upload ? object : null;
  }

  /** Google forgets sessions, of complete files too: the object itself says then what became of it. */
  async function lookAt(file: UploadFile, signal: AbortSignal): Promise<SessionState> {
    if (file.session !== null) {
      const answer = await askSession(api, file.session, file.size, signal);
      if (answer.state !== 'gone') return answer;
    }
    const object = await madeBy(file, signal);
    if (object) return { state: 'complete', object };
    return file.session === null ? { state: 'open', stored: 0 } : { state: 'gone' };
  }

  /** Sends what the session lacks of the bytes from `offset` up to `to`. */
  async function sendUntil(file: UploadFile, session: string, to: number, { offset, open }: PutPartRequest, signal: AbortSignal) {
    const memory = memoryOf(file);
    for (;;) {
      if (memory.stored === null) {
        const now = await askSession(api, session, file.size, signal);
        if (now.state === 'complete') return;
        if (now.state === 'gone') throw gone();
        memory.stored = now.stored;
      }
      const from = memory.stored;
      if (from >= to) return;
      if (from < offset) throw missing();
      memory.stored = null;
      const body = firstOf(open(from - offset), to - from);
      const answer = await sendRange(api, session, { from, to, size: file.size, body }, signal);
      if (answer.state === 'complete') return;
      if (answer.state === 'gone') throw gone();
      memory.stored = answer.stored;
      if (answer.stored <= from) throw nothingStored();
    }
  }

  async function finishSession(file: UploadFile, session: string, tail: Buffer, crc32c: string | undefined, signal: AbortSignal) {
    const memory = memoryOf(file);
    const first = tailStart(file.size);
    for (;;) {
      if (memory.stored === null) {
        const now = await lookAt(file, signal);
        if (now.state === 'complete') return now.object;
        if (now.state === 'gone') throw gone();
        memory.stored = now.stored;
      }
      const from = memory.stored;
      if (from < first) throw missing();
      memory.stored = null;
      const body = tail.subarray(from - first);
      const answer = await sendRange(
        api,
        session,
        { from, to: file.size, size: file.size, body, ...(crc32c !== undefined && { crc32c }) },
        signal,
      );
      if (answer.state === 'complete') return answer.object;
      if (answer.state === 'open') {
        memory.stored = answer.stored;
        if (answer.stored <= from) throw nothingStored();
      }
    }
  }

  async function insertWhole(file: UploadFile, tail: Buffer, crc32c: string | undefined, signal: AbortSignal): Promise<GcsObject> {
    const insert = (generation: string) =>
      insertObject(api, resourceOf(file), tail, { generation, ...(crc32c !== undefined && { crc32c }) }, signal);
    try {
      return await insert('0');
    } catch (error) {
      if (!isCode(error, 'changed')) throw error;
    }
    const there = await headObject(api, file.path, signal);
    if (there?.metadata[uploadMark] === file.upload) return there;
    if (there && file.onlyIfFree) throw exists();
    return await insert(there?.etag ?? '0');
  }

  /** `object` without what is ours, if it is what was sent. Else it is removed: nobody shall take it for the file. */
  async function verified(file: UploadFile, object: GcsObject, crc32c: string | undefined, signal: AbortSignal): Promise<CloudObject> {
    if (object.size === file.size && (crc32c === undefined || object.crc32c === crc32c)) return publicObject(object);
    await removeObject(api, { id: file.path, generation: object.etag }, signal);
    throw changedOnTheWay();
  }

  return {
    async begin(request: BeginRequest, signal) {
      const partSize = choosePartSize(gcsPlan, request.size, request.partSize);
      let file = newFile(request, partSize, randomUUID());
      if (request.size > granularity) {
        const start = (generation: string) => startSession(api, file, generation, signal);
        const session = await start('0').catch(async (error: unknown) => {
          if (!isCode(error, 'changed')) throw error;
          const there = await headObject(api, file.path, signal);
          if (there && file.onlyIfFree) throw exists();
          return start(there?.etag ?? '0');
        });
        file = { ...file, session };
        memoryOf(file).stored = 0;
      }
      const handle = handleOf(file);
      // A session whose address was never saved lapses by itself, is not seen and costs nothing.
      await request.save(handle);
      return { state: 'open', handle, layout: layoutOf(file), stored: [] };
    },

    async resume({ handle }, signal) {
      const file = fileOf(handle);
      const now = await lookAt(file, signal);
      if (now.state === 'complete') return { state: 'complete', object: publicObject(now.object) };
      if (now.state === 'gone') return { state: 'gone' };
      memoryOf(file).stored = now.stored;
      const stored: StoredPart[] = [];
      for (const { number, offset, size } of partRanges(layoutOf(file))) {
        if (size === 0 || offset + size > now.stored) break;
        stored.push({ number, size, tag: '' });
      }
      return { state: 'open', handle, layout: layoutOf(file), stored };
    },

    async putPart(request, signal) {
      signal.throwIfAborted();
      const { number, size, offset, open } = request;
      const file = fileOf(request.handle);
      const first = tailStart(file.size);
      const end = offset + size;
      if (file.session !== null) await sendUntil(file, file.session, Math.min(end, first), request, signal);
      if (end === file.size) {
        const from = Math.max(first, offset);
        memoryOf(file).tail = await bytesOf(open(from - offset), end - from, signal);
      }
      return { number, size, tag: '' };
    },

    async complete({ handle, parts, digests }: CompleteRequest, signal) {
      const file = fileOf(handle);
      const { crc32c } = digests;
      const tail = memories.get(file.upload)?.tail ?? null;
      if (tail === null) {
        const now = await lookAt(file, signal);
        if (now.state === 'complete') return await verified(file, now.object, crc32c, signal);
        throw now.state === 'gone' ? gone() : missing();
      }
      if (parts.length !== [...partRanges(layoutOf(file))].length) throw missing();
      try {
        const object =
          file.session === null
            ? await insertWhole(file, tail, crc32c, signal)
            : await finishSession(file, file.session, tail, crc32c, signal);
        memories.delete(file.upload);
        return await verified(file, object, crc32c, signal);
      } catch (error) {
        if (isCode(error, 'corrupted')) {
          memories.delete(file.upload);
          if (file.session !== null) await cancelSession(api, file.session, signal);
          throw changedOnTheWay();
        }
        if (!isCode(error, 'changed')) throw error;
        const object = await madeBy(file, signal);
        if (object) return await verified(file, object, crc32c, signal);
        throw exists();
      }
    },

    async abort({ handle }, signal) {
      signal.throwIfAborted();
      const file = fileOf(handle);
      memories.delete(file.upload);
      if (file.session !== null) await cancelSession(api, file.session, signal);
    },
  };
}
