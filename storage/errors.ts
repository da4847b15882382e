import { ApiError } from '#protocol/errors.ts';

/**
 * When the same request can succeed: `soon`, since the fault is temporary; `once_fixed`, after somebody has acted (a full
 * or read-only disk); `never`.
 */
type Retry = 'soon' | 'once_fixed' | 'never';

/** The error codes of a storage. */
const retries = {
  storage_full: 'once_fixed',
  storage_read_only: 'once_fixed',
  storage_unavailable: 'soon',
  /** The storage rejects our requests: credentials, bucket or permissions are wrong. */
  storage_refused: 'never',
  storage_misconfigured: 'never',
  no_such_upload: 'never',
  no_such_object: 'never',
  /** The object is not what was stored: a byte has changed, or some are missing. It does not heal. */
  object_damaged: 'never',
  part_missing: 'never',
  invalid_key: 'never',
  /** At start: the port is in use or not permitted. */
  cannot_listen: 'never',
  range_not_satisfiable: 'never',
} as const satisfies Record<string, Retry>;

export type StorageErrorCode = keyof typeof retries;

/** A failure of the storage. Its message is a sentence without paths or secrets, so it may be shown to a caller. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  readonly retry: Retry;
  /** Whether the same request can succeed, soon or later. */
  readonly retryable: boolean;
  /** Numbers in the message: `partNumber` (one-based), `size` in bytes. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions & { details?: Readonly<Record<string, string | number>> }) {
    super(message, options);
    this.code = code;
    this.retry = retries[code];
    this.retryable = this.retry !== 'never';
    this.details = options?.details ?? {};
  }
}

export const noSuchUpload = (options?: ErrorOptions): StorageError =>
  new StorageError('no_such_upload', 'There is no such multipart upload. It was completed or aborted.', options);

export const objectDamaged = (message = 'A stored object is damaged.'): StorageError => new StorageError('object_damaged', message);

/** The catalogue's sentence adds its own advice. */
const withoutAdvice = (message: string): string => message.replace(/ Try again soon\.$/, '').replace(/\.$/, '');

/** Maps a storage failure to the API's error catalogue. */
export function toApiError(error: StorageError): ApiError {
  const options = { cause: error };
  switch (error.code) {
    case 'storage_full':
      return new ApiError('service_storage_full', {}, options);
    case 'no_such_upload':
      return new ApiError('no_such_upload', {}, options);
    case 'no_such_object':
      return new ApiError('not_found', { resource: 'object' }, options);
    case 'object_damaged':
      return new ApiError('file_damaged', {}, options);
    case 'part_missing':
      return new ApiError('chunk_wrong', { chunk: error.details['partNumber'] ?? 0, detail: 'the storage does not have it' }, options);
    case 'range_not_satisfiable':
      return new ApiError('range_not_satisfiable', { size: error.details['size'] ?? 0 }, options);
    case 'storage_read_only':
    case 'storage_unavailable':
      return new ApiError('storage_unavailable', { detail: withoutAdvice(error.message) }, options);
    case 'storage_refused':
      return new ApiError('storage_refused', { detail: withoutAdvice(error.message) }, options);
    case 'storage_misconfigured':
    case 'cannot_listen':
    case 'invalid_key':
      return new ApiError('internal', {}, options);
  }
}
