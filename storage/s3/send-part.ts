import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { StorageError } from '../errors.ts';
import type { PartToPut, StoredPart } from '../ports.ts';
import { s3UploadError } from './errors.ts';

type Part = Pick<PartToPut, 'partNumber' | 'size' | 'open'>;

interface Upload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
}

/** Milliseconds for which the server may take no bytes, or give no answer. The client has no such limit. */
const stallLimit = 120_000;

/** An etag that is the MD5 of the bytes; other servers and encrypted buckets have others. */
const isMd5 = /^[0-9a-f]{32}$/;

/**
 * Sends a part that comes through this process. The client does not notice when a body's source fails, and would wait for the
 * rest of it, so the request is aborted then.
 */
export async function sendPart(client: S3Client, upload: Upload, part: Part, signal: AbortSignal): Promise<StoredPart> {
  const { partNumber, size, open } = part;
  const stop = new AbortController();
  const md5 = createHash('md5');
  let failure: { readonly error: unknown } | null = null;
  let stall: NodeJS.Timeout | undefined;
  const watch = (): void => {
    stall = setTimeout(() => {
      failure = { error: new StorageError('storage_unavailable', 'The object storage took no bytes for two minutes. Try again soon.') };
      stop.abort();
    }, stallLimit);
  };

  async function* bytes(): AsyncGenerator<Buffer> {
    let passed = 0;
    try {
      for await (const piece of open()) {
        passed += piece.length;
        md5.update(piece);
        watch();
        yield piece;
        clearTimeout(stall);
      }
      if (passed !== size) throw new StorageError('storage_unavailable', 'A part has another size than it should. Try again soon.');
      watch();
    } catch (error) {
      failure = { error };
      stop.abort();
      throw error;
    }
  }

  const body = Readable.from(bytes(), { objectMode: false });
  body.on('error', () => undefined);
  try {
    signal.throwIfAborted();
    const command = new UploadPartCommand({ ...upload, PartNumber: partNumber, Body: body, ContentLength: size });
    const { ETag = '' } = await client.send(command, { abortSignal: AbortSignal.any([signal, stop.signal]) });
    const etag = ETag.replaceAll('"', '');
    const sent = md5.digest('hex');
    if (isMd5.test(etag) && etag !== sent) {
      throw new StorageError('storage_unavailable', 'A part arrived at the object storage as other bytes. Try again soon.');
    }
    return { partNumber, etag, size };
  } catch (error) {
    signal.throwIfAborted();
    if (failure) throw (failure as { readonly error: unknown }).error;
    throw s3UploadError(error);
  } finally {
    clearTimeout(stall);
    body.destroy();
  }
}
