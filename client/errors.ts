import { ApiError, type ErrorName } from '#protocol/errors.ts';

/**
 * The hosted API's refusal, or its silence, as an entry of the catalogue. `message` is the service's
 * own sentence where it gave one. `details` holds what could be read back out of that sentence.
 */
export class ServiceError extends ApiError {
  /** The answer's own status, which may be another than the catalogue's; 0 when there was no answer. */
  readonly answered: number;
  /** What `Retry-After` asked for, in seconds. */
  readonly retryAfter: number | null;

  constructor(
    error: ErrorName,
    details: Readonly<Record<string, string | number>>,
    more: { answered: number; retryAfter?: number | null; message?: string; cause?: unknown },
  ) {
    super(error, details, more.cause === undefined ? undefined : { cause: more.cause });
    this.answered = more.answered;
    this.retryAfter = more.retryAfter ?? null;
    if (more.message !== undefined) this.message = more.message;
  }
}

/** What can go wrong between a file and the storage. What helps against each stands in `faults.ts`. */
export type MoveErrorCode =
  /** No connection, or no answer on it. */
  | 'unreachable'
  /** The connection broke while bytes were on their way. */
  | 'cut'
  /** No byte moved for longer than the stall time-out. */
  | 'stalled'
  /** The answer was shorter or longer than it had to be, or of another range. */
  | 'wrong_answer'
  /** 401 or 403: the address has expired or its signature is not accepted. */
  | 'address_refused'
  /** 404 of an upload: it was completed, aborted or never there. */
  | 'upload_gone'
  /** 404 or 410 of a download address. */
  | 'object_gone'
  /** 429 or 503. */
  | 'storage_busy'
  /** Another 5xx. */
  | 'storage_failed'
  /** 507: the storage has no room left. */
  | 'storage_full'
  /** Another 4xx. */
  | 'storage_refused'
  /** What the storage holds is not what was sent. */
  | 'chunk_mismatch'
  /** The same chunk came out wrong twice: something on the way, or the storage, spoils bytes. */
  | 'chunk_spoiled'
  /** The file's digest is not the sender's. */
  | 'digest_mismatch'
  /** The file on disk is not the one that was scanned. */
  | 'file_changed'
  | 'source_gone'
  | 'source_unreadable'
  | 'target_exists'
  | 'target_unwritable'
  | 'disk_full';

/** A failure to move bytes. The message is a sentence for a person. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
  readonly code: MoveErrorCode;
  /** What `Retry-After` asked for, in seconds. */
  readonly retryAfter: number | null;

  constructor(code: MoveErrorCode, message: string, more: { cause?: unknown; retryAfter?: number | null } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.retryAfter = more.retryAfter ?? null;
  }
}
