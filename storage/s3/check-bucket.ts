import { createHash, randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { StorageError } from '../errors.ts';
import { s3Error } from './errors.ts';

const bytes = new TextEncoder().encode('Longshore checks that it may use this bucket. This may be deleted.\n');

/** Milliseconds after which a check is surely over: what is left of it was left by a process that was killed amid it. */
const longOver = 3_600_000;

/**
 * Tests with a small object every permission that the service needs, and deletes the object, and what earlier checks
 * left that were killed before `now` less an hour. Rejects with
 * `storage_refused`, which names everything that is not allowed, or with `storage_unavailable`. Every step is tried, so
 * that an operator has to correct the policy only once.
 *
 * @returns what the etags of this bucket are: MD5, or, as where it encrypts with a KMS key, nothing of the bytes
 */
export async function checkBucket(client: S3Client, Bucket: string, prefix: string, now: Date): Promise<'md5' | 'none'> {
  const refused: string[] = [];
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
  } catch (error) {
    await requireReached(client, Bucket, prefix, bucketError(error, Bucket));
    refused.push('list the bucket');
  }
  const at = { Bucket, Key: `${prefix}check/${randomUUID()}` };
  const md5 = createHash('md5').update(bytes).digest('hex');
  let etagsAre: 'md5' | 'none' = 'md5';
  const noteEtag = (answer: { readonly ETag?: string | undefined } | undefined): void => {
    if (answer?.ETag !== undefined && !answer.ETag.includes(md5)) etagsAre = 'none';
  };
  let first: StorageError | undefined;
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      const failure = s3Error(error);
      if (failure.retryable) throw failure;
      refused.push(what);
      first ??= failure;
      return undefined;
    }
  };
  try {
    noteEtag(await attempt('put objects', () => client.send(new PutObjectCommand({ ...at, Body: bytes, ContentLength: bytes.length }))));
    if (!refused.includes('put objects'))
      await attempt('get objects', async () => drain((await client.send(new GetObjectCommand(at))).Body));
    const created = await attempt('begin multipart uploads', () => client.send(new CreateMultipartUploadCommand(at)));
    await attempt('list multipart uploads', () => client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: at.Key })));
    if (created?.UploadId !== undefined) {
      const upload = { ...at, UploadId: created.UploadId };
      const part = { ...upload, PartNumber: 1, Body: bytes, ContentLength: bytes.length };
      noteEtag(await attempt('put parts', () => client.send(new UploadPartCommand(part))));
      await attempt('list parts', () => client.send(new ListPartsCommand(upload)));
      await attempt('abort multipart uploads', () => client.send(new AbortMultipartUploadCommand(upload)));
    }
  } finally {
    await attempt('delete objects', () => client.send(new DeleteObjectCommand(at)));
  }
  if (refused.length === 0) {
    // Listing objects is not needed otherwise: where it is refused a small object stays.
    await removeLeftovers(client, Bucket, `${prefix}check/`, now.getTime() - longOver).catch(() => {});
    return etagsAre;
  }
  throw new StorageError(
    'storage_refused',
    `The bucket ${Bucket} can be reached, but these credentials may not ${refused.join(', ')} there. Allow that, or correct the storage URL.`,
    { cause: first },
  );
}

/**
 * Says why the bucket's HEAD was refused, whose answer has no body: the key is unknown or wrong, or the right to list is missing. Rejects
 * with the reason, unless it is that right alone.
 */
async function requireReached(client: S3Client, Bucket: string, Prefix: string, failure: StorageError): Promise<void> {
  if (failure.code !== 'storage_refused' || failure.retryable) throw failure;
  try {
    await client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }));
  } catch (error) {
    if ((error as Error).name === 'AccessDenied') return;
    throw bucketError(error, Bucket);
  }
  throw failure;
}

/** One page of each: a start leaves at most one. */
async function removeLeftovers(client: S3Client, Bucket: string, Prefix: string, before: number): Promise<void> {
  const isOver = (at: Date | undefined): boolean => at !== undefined && at.getTime() < before;
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
  for (const { Key, UploadId, Initiated } of Uploads) {
    if (isOver(Initiated)) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
  for (const { Key, LastModified } of Contents) {
    if (isOver(LastModified)) await client.send(new DeleteObjectCommand({ Bucket, Key }));
  }
}

/** A failure of a request about the bucket itself; the answer has no body that names the error. */
export function bucketError(error: unknown, bucket: string): StorageError {
  const failure = s3Error(error);
  if (failure.code !== 'no_such_object') return failure;
  return new StorageError(
    'storage_refused',
    `There is no bucket ${bucket} at the object storage. Its operator must make it, or correct the storage URL.`,
    { cause: error },
  );
}

async function drain(body: unknown): Promise<void> {
  for await (const _ of body as AsyncIterable<unknown>);
}
