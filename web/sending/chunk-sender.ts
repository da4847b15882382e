import { TransferError } from '#client/errors.ts';
import type { ByteSource, ChunkSender, SentChunk, SliceHasher } from '#client/ports.ts';
import type { Blueprint } from '#protocol/schema.ts';
import { unquoted } from '#protocol/storage/requests.ts';
import { transmit } from './transmit.ts';
import type { Digests, Workers } from './workers.ts';

/** A file that the browser lets this page read. Reading fails if the file has changed since. */
export interface BrowserSource extends ByteSource {
  /** Null: it must be chosen again, if it is still needed. */
  readonly file: File | null;
}

export function fileOf({ file, size }: BrowserSource): File {
  if (file) return file;
  if (size === 0) return new File([], '');
  throw new TransferError('source_gone', 'The file has to be chosen again.');
}

/** Bytes. A file up to this size is read once, since every slice costs the browser extra work. */
const wholeSize = 1024 * 1024;

/**
 * Sends a slice directly from disk by the browser: its bytes are never in the page's memory. At the same time a worker
 * reads it for its digest. The storage's confirmation is compared with this digest, so a file that changes between the
 * two reads is detected.
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

async function put(
  { method, url, headers }: Blueprint,
  body: Blob | Uint8Array<ArrayBuffer>,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const { etag } = await transmit({ method, url, headers, body, onBytes, signal });
  if (etag) return unquoted(etag);
  throw new TransferError('wrong_answer', 'The storage did not say what it has received.');
}

/**
 * Finds out why a slice failed. A request fails in the same way for the network and for the file, so the file is read
 * once more.
 */
async function diagnosed(error: unknown, file: File): Promise<unknown> {
  if (error instanceof TransferError && error.code !== 'cut') return error;
  try {
    if (error instanceof DOMException) throw error;
    if (file.size > 0) await file.slice(0, 1).arrayBuffer();
    return error;
  } catch (cause) {
    return readFailure(cause, file.name);
  }
}

/** Converts the browser's read error to our error. */
export function readFailure(cause: unknown, name: string): unknown {
  if (!(cause instanceof DOMException)) return cause;
  switch (cause.name) {
    case 'NotFoundError':
      return new TransferError('source_gone', `${name} is no longer where it was.`, { cause });
    case 'NotReadableError':
      return new TransferError('file_changed', `${name} has changed, or is gone, since it was chosen.`, { cause });
    case 'NotAllowedError':
    case 'SecurityError':
      return new TransferError('source_unreadable', `The browser does not let this page read ${name}.`, { cause });
    default:
      return cause;
  }
}
