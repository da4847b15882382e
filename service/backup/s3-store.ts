import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { s3Error } from '#storage/s3/errors.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { BackupError } from './backup-error.ts';
import type { FileStore, StoreEntry } from './ports.ts';

/** Larger files go as a multipart upload with parts of this many bytes: 10,000 of them are 160 GB, and no file is as large. */
const partBytes = 16 * 1024 * 1024;
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** A store that is a bucket, or a part of it. `url` as of `--storage-url`. Throws `StorageError` for one that is none. */
export function s3Store(url: string): FileStore {
  const { endpoint, region, bucket, prefix, pathStyle, credentials } = parseS3Url(url);
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 6,
    logger: silent,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 120_000 },
  });
  // Never the whole address, which may have a key.
  const name = `s3://${bucket}/${prefix}`.replace(/\/$/, '');
  const at = (path: string) => ({ Bucket: bucket, Key: prefix + path });

  async function asked<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw problemOf(error, name, path);
    }
  }

  async function* keysBelow(folder: string, delimiter?: string) {
    const Prefix = prefix + (folder === '' ? '' : `${folder}/`);
    for (let token: string | undefined; ; ) {
      const input = { Bucket: bucket, Prefix, Delimiter: delimiter, ContinuationToken: token };
      const page = await asked(folder, () => client.send(new ListObjectsV2Command(input)));
      for (const { Prefix: inner } of page.CommonPrefixes ?? []) yield { name: inner!.slice(Prefix.length, -1), size: null };
      for (const { Key, Size } of page.Contents ?? []) yield { name: Key!.slice(Prefix.length), size: Size ?? 0 };
      token = page.NextContinuationToken;
      if (token === undefined) return;
    }
  }

  async function writeInParts(path: string, first: Buffer, rest: AsyncGenerator<Buffer>): Promise<void> {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at(path)));
    try {
      const parts: { PartNumber: number; ETag: string | undefined }[] = [];
      const send = async (Body: Buffer) => {
        const PartNumber = parts.length + 1;
        const { ETag } = await client.send(new UploadPartCommand({ ...at(path), UploadId, PartNumber, Body }));
        parts.push({ PartNumber, ETag });
      };
      await send(first);
      for await (const part of rest) await send(part);
      await client.send(new CompleteMultipartUploadCommand({ ...at(path), UploadId, MultipartUpload: { Parts: parts } }));
    } catch (error) {
      await client.send(new AbortMultipartUploadCommand({ ...at(path), UploadId })).catch(() => undefined);
      throw error;
    }
  }

  return {
    name,
    async list(folder) {
      const entries: StoreEntry[] = [];
      for await (const entry of keysBelow(folder, '/')) entries.push(entry);
      return entries;
    },
    async sizeOf(path) {
      try {
        return (await asked(path, () => client.send(new HeadObjectCommand(at(path))))).ContentLength ?? 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async *read(path) {
      const { Body } = await asked(path, () => client.send(new GetObjectCommand(at(path))));
      yield* Body as unknown as AsyncIterable<Buffer>;
    },
    async write(path, bytes) {
      // What the source throws goes on unchanged: it is not a failure of the bucket.
      const source: { error?: unknown } = {};
      const pieces = inParts(bytes, source);
      const first = await pieces.next();
      const body = first.done ? Buffer.alloc(0) : first.value;
      await asked(path, async () => {
        if (body.length < partBytes) await client.send(new PutObjectCommand({ ...at(path), Body: body }));
        else await writeInParts(path, body, pieces);
      }).catch((error: unknown) => {
        throw source.error ?? error;
      });
    },
    settle: async () => {},
    async remove(path) {
      for await (const { name: below } of keysBelow(path)) {
        await asked(path, () => client.send(new DeleteObjectCommand(at(`${path}/${below}`))));
      }
      await asked(path, () => client.send(new DeleteObjectCommand(at(path))));
    },
    async sweep() {
      // Only the first thousand: the next backup goes on with the others.
      const { Uploads } = await asked('', () => client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix })));
      for (const { Key, UploadId } of Uploads ?? []) {
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })).catch(() => undefined);
      }
    },
  };
}

/** Pieces of `partBytes`, but for the last. */
async function* inParts(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, source: { error?: unknown }): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of bytes) {
      for (let from = 0; from < piece.length; ) {
        const some = piece.subarray(from, from + partBytes - size);
        pieces.push(some);
        size += some.length;
        from += some.length;
        if (size === partBytes) {
          yield Buffer.concat(pieces);
          [pieces, size] = [[], 0];
        }
      }
    }
  } catch (error) {
    source.error = error;
    throw error;
  }
  if (size > 0) yield Buffer.concat(pieces);
}

function problemOf(error: unknown, name: string, path: string): unknown {
  const failure = s3Error(error);
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  if (failure.code === 'no_such_object' || (status === 404 && failure.code !== 'storage_refused'))
    return Object.assign(new Error(`${name}/${path} is not there`, { cause: error }), { code: 'ENOENT' });
  const code = failure.code === 'storage_full' ? 'place_full' : 'place_unusable';
  return new BackupError(code, `${name}: ${failure.message} Run the same command again then: it goes on where it stopped.`, {
    cause: error,
  });
}
