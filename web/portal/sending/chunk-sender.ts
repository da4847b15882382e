import { MoveError } from '#client/errors.ts';
import type { ByteSource, ChunkSender, SentChunk, SliceHasher } from '#client/ports.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { Digests, Workers } from './workers.ts';

/** A file that the browser lets this page read. It refuses to when the file has changed since. */
export interface BrowserSource extends ByteSource {
  /** Null: it would have to be chosen again, and may not be needed any more. */
  readonly file: File | null;
}

function fileOf({ file, size }: BrowserSource): File {
  if (file) return file;
  if (size === 0) return new File([], '');
  throw new MoveError('source_gone', 'The file has to be chosen again.');
}

/** Milliseconds without a byte moving. */
const stallTime = 60_000;

/** Bytes. A file up to this size is read once, since for the browser each slice is work of its own. */
const wholeSize = 1024 * 1024;

/**
 * Sends a slice by the browser's own means, which read it from the disk: none of its bytes passes through the page.
 * Meanwhile a worker reads it too, for its digest. What the storage confirms is compared with that, so a file that
 * changes between the two reads is noticed.
 */
export function createChunkSender(workers: Workers): ChunkSender<BrowserSource> {
  return async (blueprint, source, slice, { md5, onBytes, signal }): Promise<SentChunk> => {
    const file = fileOf(source);
    const either = new AbortController();
    const stop = AbortSignal.any([signal, either.signal]);
    let work: readonly [Promise<string>, Promise<Digests>] | null = null;
    try {
      if (file.size <= wholeSize && slice.length === file.size) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        work = [put(blueprint, bytes, onBytes, stop), workers.digest(bytes, md5)];
      } else {
        const blob = file.slice(slice.offset, slice.offset + slice.length);
        work = [put(blueprint, blob, onBytes, stop), workers.hash(blob, md5, stop)];
      }
      const [etag, digests] = await Promise.all(work);
      return { etag, ...digests };
    } catch (error) {
      either.abort();
      if (work) await Promise.allSettled(work);
      signal.throwIfAborted();
      throw await diagnosed(error, file);
    }
  };
}

export function createSliceHasher(workers: Workers): SliceHasher<BrowserSource> {
  return async (source, { offset, length }, { md5, signal }) => {
    const file = fileOf(source);
    try {
      return await workers.hash(file.slice(offset, offset + length), md5, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw await diagnosed(error, file);
    }
  };
}

function put(
  { method, url, headers }: Blueprint,
  body: Blob | Uint8Array<ArrayBuffer>,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    let sent = 0;
    let lastMove = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - lastMove > stallTime) end(() => reject(new MoveError('stalled', 'Nothing has moved for a minute.')), true);
    }, 5_000);
    const end = (settle: () => void, abort = false): void => {
      clearInterval(watch);
      signal.removeEventListener('abort', stop);
      settle();
      if (abort) request.abort();
    };
    const stop = (): void => end(() => reject(signal.reason), true);
    signal.addEventListener('abort', stop, { once: true });
    request.upload.onprogress = ({ loaded }) => {
      lastMove = performance.now();
      onBytes(loaded - sent);
      sent = loaded;
    };
    request.onload = () => {
      const { status } = request;
      const retryAfter = request.getResponseHeader('retry-after') ?? undefined;
      if (status < 200 || status >= 300) {
        const refusal = storageRefusal(
          { status, headers: { 'retry-after': retryAfter }, text: request.responseText.slice(0, 4_096) },
          'upload',
        );
        return end(() => reject(refusal));
      }
      const etag = request.getResponseHeader('etag');
      if (etag) return end(() => resolve(etag.replace(/^"(.*)"$/, '$1')));
      end(() => reject(new MoveError('wrong_answer', 'The storage did not say what it has received.')));
    };
    request.onerror = () => {
      // A browser does not tell a refused connection from one that broke, so the storage may have taken all of it.
      end(() => reject(new MoveError('cut', 'The connection to the storage broke.')));
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers))
      if (!/^(?:host|content-length)$/i.test(name)) request.setRequestHeader(name, value);
    request.send(body);
  });
}

/**
 * Why a slice did not go out. A request fails the same way whether the network or the file is the cause, so the file
 * is asked.
 */
async function diagnosed(error: unknown, file: File): Promise<unknown> {
  if (error instanceof MoveError && error.code !== 'cut') return error;
  try {
    if (error instanceof DOMException) throw error;
    if (file.size > 0) await file.slice(0, 1).arrayBuffer();
    return error;
  } catch (cause) {
    return readFailure(cause, file.name);
  }
}

/** What a browser means by a file that it does not read. */
export function readFailure(cause: unknown, name: string): unknown {
  if (!(cause instanceof DOMException)) return cause;
  switch (cause.name) {
    case 'NotFoundError':
      return new MoveError('source_gone', `${name} is no longer where it was.`, { cause });
    case 'NotReadableError':
      return new MoveError('file_changed', `${name} has changed, or is gone, since it was chosen.`, { cause });
    case 'NotAllowedError':
    case 'SecurityError':
      return new MoveError('source_unreadable', `The browser does not let this page read ${name}.`, { cause });
    default:
      return cause;
  }
}
