import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ProviderError } from '../errors.ts';
import { exactLength } from '../exact-length.ts';
import { retryAfterOf } from '../http/retry-after.ts';
import { partRanges } from '../parts.ts';
import type { CloudObject, CloudProvider, PutPartRequest, StoredPart, UploadPlan } from '../ports.ts';
import { type BoxApi, type BoxFile, type BoxRecord, firstFileIn, isCode, publicFile, recordIn } from './api.ts';
import { type BoxConflict, boxErrorIn } from './errors.ts';
import { headFile, removeFile } from './files.ts';
import type { Folders } from './folders.ts';
import { type BoxSession, fileOf, handleOf, layoutOf, type UploadFile } from './upload-file.ts';

const mebibyte = 1024 * 1024;

export const boxPlan: UploadPlan = {
  smallestPart: 8 * mebibyte,
  largestPart: 1024 * mebibyte,
  usualPart: 8 * mebibyte,
  partMultiple: 1,
  maxParts: 100_000,
  // Of the largest plan; Box says when a smaller one is exceeded.
  largestFile: 500 * 1024 * mebibyte,
  dictatesParts: true,
  order: 'any',
  partDigests: ['sha1'],
  digestsToBegin: [],
  digestsToComplete: ['sha1'],
};

export interface UploadOptions {
  /** Bytes from which a file is sent in parts; Box refuses that for smaller ones. */
  readonly chunkedFrom: number;
  /** Milliseconds between two questions whether a committed file is ready, where Box names no pause. */
  readonly commitPause: number;
  readonly now: () => Date;
}

/** Box puts large files together after the commit; about a quarter of an hour was seen. */
const maxCommits = 100;

const gone = () => new ProviderError('upload_gone', 'Box has ended this upload. The file is sent from its beginning.');
const missing = () => new ProviderError('part_missing', 'Box does not have all parts of the file. They are compared again.');
const exists = () =>
  new ProviderError(
    'exists',
    'There is a file or folder of this name at Box already; upper and lower case are the same there. It was not replaced.',
  );
const changedOnTheWay = () =>
  new ProviderError('upload_gone', 'The file arrived changed at Box and was dropped there. It is sent from its beginning.');
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

type Uploads = Pick<CloudProvider, 'begin' | 'resume' | 'putPart' | 'complete' | 'abort'>;

/** Files of some size go in parts that Box dictates, others in one request, which makes the file at once. */
export function createUploads(box: BoxApi, folders: Folders, { chunkedFrom, commitPause, now }: UploadOptions): Uploads {
  const jsonHeaders = { 'content-type': 'application/json' };

  /** What stands in the way of the name; null if it is free. Box answers as it would to the upload itself. */
  async function conflictOf(name: string, parent: string, size: number, signal: AbortSignal): Promise<BoxConflict | null> {
    const body = JSON.stringify({ name, parent: { id: parent }, size });
    const answer = await box.send({ method: 'OPTIONS', url: `${box.api}/files/content`, headers: jsonHeaders, body }, signal, [409]);
    if (answer.status < 300) return null;
    const { code, conflict } = boxErrorIn(answer.bytes);
    if (code !== 'item_name_in_use' || !conflict) throw box.errorOf(answer);
    return conflict;
  }

  async function fileNamed({ name, parent, size }: UploadFile, signal: AbortSignal): Promise<BoxFile | null> {
    const conflict = await conflictOf(name, parent, size, signal);
    return conflict?.type === 'file' ? await headFile(box, conflict.id, signal) : null;
  }

  /** The file that this upload has made, or null. */
  async function madeBy(file: UploadFile, signal: AbortSignal): Promise<BoxFile | null> {
    const there = await fileNamed(file, signal);
    const same = there && there.size === file.size && there.modified?.getTime() === Date.parse(file.modified);
    return same && there.etag !== file.replaces?.version ? there : null;
  }

  async function startSession({ name, parent, size, replaces }: UploadFile, signal: AbortSignal): Promise<BoxSession> {
    const url = replaces ? `${box.upload}/files/${replaces.id}/upload_sessions` : `${box.upload}/files/upload_sessions`;
    const described = replaces ? { file_size: size } : { folder_id: parent, file_size: size, file_name: name };
    const { part_size, session_endpoints } = await box.json('POST', url, described, signal);
    const { upload_part, commit, abort, list_parts } = (session_endpoints ?? {}) as BoxRecord;
    return {
      partSize: Number(part_size),
      part: box.ours(upload_part),
      commit: box.ours(commit),
      abort: box.ours(abort),
      list: box.ours(list_parts),
    };
  }

  /** The parts that Box has, or null if the session is over. */
  async function partsOf(file: UploadFile, session: BoxSession, signal: AbortSignal): Promise<StoredPart[] | null> {
    const stored: StoredPart[] = [];
    for (let offset = 0; ; ) {
      const answer = await box.send({ method: 'GET', url: `${session.list}?limit=1000&offset=${offset}` }, signal, [404, 410]);
      if (answer.status >= 300) return null;
      const { entries, total_count } = recordIn(answer.bytes);
      const page = Array.isArray(entries) ? (entries as BoxRecord[]) : [];
      stored.push(...page.map((part) => storedIn(part, session)));
      offset += page.length;
      if (page.length === 0 || offset >= Number(total_count)) break;
    }
    const sizes = [...partRanges(layoutOf(file))];
    return stored.filter(({ number, size }) => sizes[number - 1]?.size === size).sort((one, other) => one.number - other.number);
  }

  async function putWhole(file: UploadFile, { size, digests, open }: PutPartRequest, signal: AbortSignal): Promise<StoredPart> {
    const boundary = `longshore-${randomUUID()}`;
    const { name, parent, modified, replaces } = file;
    const attributes = { name, content_modified_at: modified, ...(!replaces && { parent: { id: parent } }) };
    // The attributes have to come first.
    const head = Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="attributes"\r\n\r\n${JSON.stringify(attributes)}\r\n` +
        `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="file"\r\ncontent-type: application/octet-stream\r\n\r\n`,
    );
    const end = Buffer.from(`\r\n--${boundary}--\r\n`);
    async function* body() {
      yield head;
      yield* exactLength(open(0), size, () => new Error('The bytes of the part ended early, or are too many.'));
      yield end;
    }
    const answer = await box.send(
      {
        method: 'POST',
        url: replaces ? `${box.upload}/files/${replaces.id}/content` : `${box.upload}/files/content`,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-md5': digests.sha1 ?? '' },
        body: { stream: Readable.from(body(), { objectMode: false }), size: head.length + size + end.length },
      },
      signal,
      [409],
    );
    if (answer.status < 300) return { number: 1, size, tag: firstFileIn(answer.bytes).boxId };
    const { code } = boxErrorIn(answer.bytes);
    if (code !== 'item_name_in_use') throw box.errorOf(answer);
    // An answer that was lost has made it, or somebody else has.
    const there = await madeBy(file, signal);
    if (there?.sha1 !== digests.sha1) throw exists();
    return { number: 1, size, tag: there!.boxId };
  }

  async function putChunk(file: UploadFile, session: BoxSession, request: PutPartRequest, signal: AbortSignal): Promise<StoredPart> {
    const { number, offset, size, digests, open } = request;
    const sha1 = digests.sha1 ?? '';
    const answer = await box.send(
      {
        method: 'PUT',
        url: session.part,
        headers: {
          'content-type': 'application/octet-stream',
          'content-range': `bytes ${offset}-${offset + size - 1}/${file.size}`,
          digest: `sha=${base64(sha1)}`,
        },
        body: { stream: open(0), size },
      },
      signal,
      [404, 409, 410],
    );
    if (answer.status < 300) return storedIn(recordIn(answer.bytes)['part'] as BoxRecord, session);
    if (answer.status !== 409) throw gone();
    // Box keeps the part that it has: the same, if an answer was lost.
    const there = (await partsOf(file, session, signal))?.find((one) => one.number === number);
    if (!there) throw box.errorOf(answer);
    if (there.tag.endsWith(`:${sha1}`)) return there;
    throw gone();
  }

  async function commit(
    file: UploadFile,
    session: BoxSession,
    parts: readonly StoredPart[],
    sha1: string,
    signal: AbortSignal,
  ): Promise<BoxFile> {
    const described = parts.map(({ number, size, tag }) => {
      const [part_id, digest] = tag.split(':');
      return { part_id, offset: (number - 1) * session.partSize, size, sha1: digest };
    });
    const body = JSON.stringify({ parts: described, attributes: { content_modified_at: file.modified } });
    for (let attempt = 1; attempt <= maxCommits; attempt++) {
      const headers = { ...jsonHeaders, digest: `sha=${base64(sha1)}` };
      const answer = await box.send({ method: 'POST', url: session.commit, headers, body }, signal, [202, 400, 404, 409, 410]);
      if (answer.status === 201) return firstFileIn(answer.bytes);
      if (answer.status === 404 || answer.status === 410) {
        const there = await madeBy(file, signal);
        if (there) return there;
        throw gone();
      }
      if (answer.status === 400) {
        // Right after the last part Box may not know of it yet; its list does.
        const error = box.errorOf(answer);
        const stored = error.code === 'part_missing' ? await partsOf(file, session, signal) : null;
        if (!stored || stored.length < parts.length) throw error;
      } else if (answer.status === 409) throw boxErrorIn(answer.bytes).code === 'item_name_in_use' ? exists() : box.errorOf(answer);
      try {
        await wait(retryAfterOf(answer.headers['retry-after'], now()) || commitPause, undefined, { signal });
      } catch {
        signal.throwIfAborted();
      }
    }
    throw new ProviderError(
      'busy',
      'Box is still putting the file together. It is asked again; if that goes on, look at https://status.box.com.',
    );
  }

  async function verified(there: BoxFile, file: UploadFile, sha1: string | undefined, signal: AbortSignal): Promise<CloudObject> {
    if (there.size === file.size && (sha1 === undefined || there.sha1 === sha1)) return publicFile(there);
    // A version that replaced another is left to its people: removing it would remove theirs.
    if (!file.replaces) await removeFile(box, there.boxId, signal);
    throw changedOnTheWay();
  }

  return {
    async begin({ path, size, modified, onlyIfFree = false, save }, signal) {
      signal.throwIfAborted();
      const slash = path.lastIndexOf('/');
      const name = path.slice(slash + 1);
      const parent = await folders.make(slash === -1 ? '' : path.slice(0, slash), signal);
      const conflict = await conflictOf(name, parent, size, signal);
      if (conflict && (onlyIfFree || conflict.type !== 'file')) throw exists();
      const old = conflict && (await headFile(box, conflict.id, signal));
      // Another name to everybody but Box.
      if (old && old.name !== name) throw exists();
      let file: UploadFile = {
        name,
        parent,
        size,
        modified: `${modified.toISOString().slice(0, 19)}Z`,
        replaces: old && { id: old.boxId, version: old.etag },
        session: null,
      };
      // A session whose address was never saved lapses by itself and is not seen.
      if (size >= chunkedFrom) file = { ...file, session: await startSession(file, signal) };
      const handle = handleOf(file);
      await save(handle);
      return { state: 'open', handle, layout: layoutOf(file), stored: [] };
    },

    async resume({ handle }, signal) {
      const file = fileOf(handle);
      const stored = file.session ? await partsOf(file, file.session, signal) : [];
      if (stored === null || !file.session) {
        const there = await madeBy(file, signal);
        if (there) return { state: 'complete', object: publicFile(there) };
      }
      return stored === null ? { state: 'gone' } : { state: 'open', handle, layout: layoutOf(file), stored };
    },

    async putPart(request, signal) {
      signal.throwIfAborted();
      const file = fileOf(request.handle);
      return file.session ? await putChunk(file, file.session, request, signal) : await putWhole(file, request, signal);
    },

    async complete({ handle, parts, digests }, signal) {
      const file = fileOf(handle);
      if (!file.session) {
        const [part] = parts;
        const there = part && (await headFile(box, part.tag, signal));
        if (!there) throw missing();
        return await verified(there, file, digests.sha1, signal);
      }
      if (parts.length !== [...partRanges(layoutOf(file))].length) throw missing();
      try {
        return await verified(await commit(file, file.session, parts, digests.sha1 ?? '', signal), file, digests.sha1, signal);
      } catch (error) {
        if (!isCode(error, 'corrupted')) throw error;
        await box.send({ method: 'DELETE', url: file.session.abort }, signal, [404, 410]);
        throw changedOnTheWay();
      }
    },

    async abort({ handle }, signal) {
      signal.throwIfAborted();
      const file = fileOf(handle);
      if (file.session) {
        await box.send({ method: 'DELETE', url: file.session.abort }, signal, [404, 410]);
        return;
      }
      // It is there as soon as its bytes are.
      const there = file.replaces ? null : await madeBy(file, signal);
      if (there) await removeFile(box, there.boxId, signal);
    },
  };
}

function storedIn(part: BoxRecord | undefined, { partSize }: BoxSession): StoredPart {
  const { part_id, offset, size, sha1 } = part ?? {};
  if (typeof part_id !== 'string' || typeof sha1 !== 'string') {
    throw new ProviderError('bad_answer', 'Box gave an answer that makes no sense. It is tried again; if that goes on, tell the operator.');
  }
  return { number: Number(offset) / partSize + 1, size: Number(size), tag: `${part_id}:${sha1}` };
}
