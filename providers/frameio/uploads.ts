import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';
import { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp } from '../http/client.ts';
import type { CloudObject, CloudProvider, UploadPlan } from '../ports.ts';
import { dataIn, type FrameioApi, fileIn, publicFile } from './api.ts';
import { detailsIn } from './errors.ts';
import { findFile, removeFile, uploadStateOf } from './files.ts';
import type { Folders } from './folders.ts';
import { sendPart } from './parts.ts';
import { fileOf, handleOf, type Placeholder, placeholderIn, type UploadFile } from './upload-file.ts';

const mebibyte = 1024 * 1024;

export const frameioPlan: UploadPlan = {
  smallestPart: 1,
  largestPart: 5 * 1024 * mebibyte,
  // About what Frame.io dictates for files of some size.
  usualPart: 16 * mebibyte,
  partMultiple: 1,
  maxParts: 10_000,
  largestFile: 5 * 1024 * 1024 * mebibyte,
  dictatesParts: true,
  order: 'any',
  // S3 tells of each part what arrived; nothing can be sent along that it would compare.
  partDigests: [],
  digestsToBegin: [],
  digestsToComplete: [],
};

export interface UploadOptions {
  /** Milliseconds between the first two questions whether a file is whole; doubled each time. */
  readonly completePause: number;
}

/** Questions before the caller has to ask again: some minutes. */
const maxQuestions = 60;
const longestPause = 5000;
/** How far the `Date` of an answer may lie after the time in it, in milliseconds. */
const clockSlack = 5000;
const maxUnsure = 10_000;

const gone = () => new ProviderError('upload_gone', 'Frame.io has ended this upload. The file is sent from its beginning.');

type Uploads = Pick<CloudProvider, 'begin' | 'resume' | 'putPart' | 'complete' | 'abort'>;

/**
 * A file begins as a placeholder that everybody sees, and is whole by itself when its last part has arrived. Frame.io does
 * not say which parts it has, and gives no second address for one.
 */
export function createUploads(api: FrameioApi, http: CloudHttp, folders: Folders, { completePause }: UploadOptions): Uploads {
  /** Since when there may be placeholders that no answer told of, by folder and name. */
  const unsure = new LRUCache<string, string>(maxEntries(maxUnsure));
  const keyOf = ({ parent, name }: UploadFile) => `${parent}/${name}`;

  /**
   * Removes placeholders that were made for this file though their answer was lost: of its name and size, not older than it,
   * and without content. Names are not unique at Frame.io, so all of this has to fit.
   */
  async function removeLost({ parent, name, size, since }: UploadFile, signal: AbortSignal): Promise<void> {
    for (let after: string | null = null; ; ) {
      const page = await folders.children(parent, { after, type: 'file' }, signal);
      for (const file of page.entries.filter(({ type }) => type === 'file').map(fileIn)) {
        const lost = !file.whole && file.name === name && file.size === size;
        if (lost && file.created.getTime() >= Date.parse(since) - clockSlack) await removeFile(api, file.fileId, signal);
      }
      after = page.after;
      if (after === null) return;
    }
  }

  /** Null if the folder is not there any more. */
  async function makePlaceholder(file: UploadFile, signal: AbortSignal): Promise<Placeholder | null> {
    const { parent, name, size } = file;
    if (unsure.has(keyOf(file))) await removeLost(file, signal);
    unsure.set(keyOf(file), file.since);
    const path = `/folders/${encodeURIComponent(parent)}/files/local_upload`;
    const answer = await api.ask('POST', path, { name, file_size: size }, signal).catch((error: unknown) => {
      if (error instanceof ProviderError && error.code === 'expired') unsure.delete(keyOf(file));
      throw error;
    });
    const placeholder = answer.status < 300 ? placeholderIn(dataIn(answer.bytes), size, api) : null;
    if (answer.status < 500) unsure.delete(keyOf(file));
    if (!placeholder && answer.status !== 404) throw refused(answer, size);
    return placeholder;
  }

  function refused(answer: CloudAnswer, size: number): ProviderError {
    const error = api.errorOf(answer);
    if (error.code !== 'misconfigured') return error;
    const options = { answered: error.answered };
    if (size === 0)
      return new ProviderError('empty_refused', 'Frame.io takes no files without content. Leave it out, then retry.', options);
    return /size/i.test(detailsIn(answer.bytes))
      ? new ProviderError('too_large', 'Frame.io takes no file of this size. Send it as several files.', options)
      : new ProviderError('name_refused', 'Frame.io cannot hold a file of this name. Change it.', options);
  }

  async function untilWhole({ id }: Placeholder, signal: AbortSignal): Promise<void> {
    let pause = completePause;
    for (let asked = 1; asked <= maxQuestions; asked++) {
      const state = await uploadStateOf(api, id, signal);
      if (state === 'complete') return;
      if (state !== 'under_way') throw gone();
      try {
        await wait(pause, undefined, { signal });
      } catch {
        signal.throwIfAborted();
      }
      pause = Math.min(pause * 2, longestPause);
    }
    throw new ProviderError(
      'busy',
      'Frame.io is still putting the file together. It is asked again; if that goes on, look at https://status.frame.io.',
    );
  }

  async function wholeFile({ id }: Placeholder, size: number, signal: AbortSignal): Promise<CloudObject> {
    const file = await findFile(api, id, signal);
    if (file?.size !== size) throw gone();
    return publicFile(file);
  }

  return {
    async begin({ path, size, save }, signal) {
      signal.throwIfAborted();
      const slash = path.lastIndexOf('/');
      const folder = slash === -1 ? '' : path.slice(0, slash);
      const name = path.slice(slash + 1);
      for (let attempt = 1; attempt <= 2; attempt++) {
        const parent = await folders.make(folder, signal);
        const now = api.time().toISOString();
        const started: UploadFile = { name, parent, size, since: unsure.get(`${parent}/${name}`) ?? now, placeholder: null };
        await save(handleOf(started));
        const placeholder = await makePlaceholder(started, signal);
        if (placeholder) {
          const handle = handleOf({ ...started, placeholder });
          await save(handle);
          return { state: 'open', handle, layout: { sizes: placeholder.parts.map((part) => part.size) }, stored: [] };
        }
        // Somebody removed the folder: its path is made anew.
        folders.forget();
      }
      throw new ProviderError('not_found', 'The folder at Frame.io is removed again and again. Choose another, then retry.');
    },

    async resume({ handle }, signal) {
      const { placeholder, size } = fileOf(handle);
      if (!placeholder || (await uploadStateOf(api, placeholder.id, signal)) !== 'complete') return { state: 'gone' };
      return { state: 'complete', object: await wholeFile(placeholder, size, signal) };
    },

    async putPart(request, signal) {
      signal.throwIfAborted();
      const { placeholder } = fileOf(request.handle);
      const part = placeholder?.parts[request.number - 1];
      if (!placeholder || !part) throw gone();
      return await sendPart(http, { ...part, mediaType: placeholder.mediaType }, request, api.time(), signal);
    },

    async complete({ handle, parts }, signal) {
      const { placeholder, size } = fileOf(handle);
      if (!placeholder) throw gone();
      if (parts.length !== placeholder.parts.length) {
        throw new ProviderError('part_missing', 'Frame.io does not have all parts of the file. They are compared again.');
      }
      await untilWhole(placeholder, signal);
      return await wholeFile(placeholder, size, signal);
    },

    async abort({ handle }, signal) {
      signal.throwIfAborted();
      const file = fileOf(handle);
      if (file.placeholder) await removeFile(api, file.placeholder.id, signal);
      else {
        await removeLost(file, signal);
        unsure.delete(keyOf(file));
      }
    },
  };
}
