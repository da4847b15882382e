import { S3ServiceException } from '@aws-sdk/client-s3';
import { noSuchUpload, StorageError } from '../errors.ts';

const full = new Set(['InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull', 'EntityTooLarge.Quota']);
const busy = new Set([
  'SlowDown',
  'RequestTimeout',
  'ServiceUnavailable',
  'InternalError',
  'OperationAborted',
  'ThrottlingException',
  'TooManyRequests',
]);

/** The bytes that came are not those that were sent; the server has dropped them. */
const corrupted = new Set(['BadDigest', 'IncompleteBody', 'XAmzContentSHA256Mismatch', 'XAmzContentChecksumMismatch']);

/** Converts an error of the S3 server or of the connection to a storage failure. The original error is the cause. */
export function s3Error(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const options = { cause: error };
  if (!(error instanceof S3ServiceException)) {
    return new StorageError('storage_unavailable', 'The object storage cannot be reached. Try again soon.', options);
  }
  const status = error.$metadata.httpStatusCode ?? 0;
  if (error.name === 'NoSuchUpload') return noSuchUpload(options);
  if (error.name === 'NoSuchBucket') {
    return new StorageError('storage_refused', 'The object storage has no such bucket. Its operator must check the storage URL.', options);
  }
  if (error.name === 'InvalidPart') return new StorageError('part_missing', 'The storage does not have one of the parts.', options);
  if (error.name === 'InvalidRange' || status === 416) {
    return new StorageError('range_not_satisfiable', 'The range lies outside the object.', options);
  }
  if (full.has(error.name) || status === 507) {
    return new StorageError(
      'storage_full',
      'The object storage is full. Nothing is lost; try again when some room has been made.',
      options,
    );
  }
  // Permanent: the server does not implement this call.
  if (error.name === 'NotImplemented' || status === 501) {
    return new StorageError(
      'storage_refused',
      'The object storage does not do what is asked of it. Its operator must choose another.',
      options,
    );
  }
  if (busy.has(error.name) || status === 429 || status >= 500) {
    return new StorageError('storage_unavailable', 'The object storage is busy or has a failure. Try again soon.', options);
  }
  if (corrupted.has(error.name)) {
    return new StorageError(
      'storage_unavailable',
      'Bytes arrived changed at the object storage, which dropped them. Try again soon.',
      options,
    );
  }
  if (status === 404) return new StorageError('no_such_object', 'The storage has no such object.', options);
  return new StorageError(
    'storage_refused',
    `The object storage refused the request (${error.name}). Its operator must check credentials, bucket and permissions.`,
    options,
  );
}

/**
 * The same of a call about a multipart upload: what is not there is the upload, whatever the server says of its key. Ceph's gateway says
 * `NoSuchKey` of one that was completed or aborted.
 */
export function s3UploadError(error: unknown): StorageError {
  const failure = s3Error(error);
  return failure.code === 'no_such_object' ? noSuchUpload({ cause: error }) : failure;
}
