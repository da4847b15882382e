import { ApiError } from '#protocol/errors/api-error.ts';
import type { HostedErrorName } from '#protocol/errors/hosted.ts';

/**
 * A refusal of the hosted API, or a missing answer, as an entry of the error catalogue. `message` is the service's own
 * sentence if it sent one. `details` holds the values that could be parsed from that sentence.
 */
export class ServiceError extends ApiError {
  /** HTTP status of the answer, which may differ from the catalogue's status; 0 without an answer. */
  readonly answered: number;
  /** Value of `Retry-After`, in seconds. */
  readonly retryAfter: number | null;
  /** The answer is not the service's own: it is from a proxy, a gateway, or the sign-in page of a network. */
  readonly foreign: boolean;

  constructor(
    error: HostedErrorName,
    details: Readonly<Record<string, string | number>>,
    more: { answered: number; retryAfter?: number | null; message?: string; cause?: unknown; foreign?: boolean },
  ) {
    super(error, details, more.cause === undefined ? undefined : { cause: more.cause });
    this.answered = more.answered;
    this.retryAfter = more.retryAfter ?? null;
    this.foreign = more.foreign ?? false;
    if (more.message !== undefined) this.message = more.message;
  }
}

/** What can fail between a file and the storage. `faults.ts` maps each code to its remedy. */
export type TransferErrorCode =
  /** No connection, or no answer on it. */
  | 'unreachable'
  /** The connection broke while bytes were on their way. */
  | 'cut'
  /** No byte moved for longer than the stall time-out. */
  | 'stalled'
  /** The answer had the wrong length or range, or was not the storage's own. */
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
  /** Another 4xx; the message is the storage's own. */
  | 'storage_refused'
  /** What the storage holds is not what was sent. */
  | 'chunk_mismatch'
  /** Received bytes differ from the sent ones, and differ in a new way each time. */
  | 'line_damages'
  /** The same chunk was damaged in the same way twice: the network path or the storage always damages it. */
  | 'chunk_spoiled'
  /** The file's digest is not the sender's, and each download returns the same bytes. */
  | 'digest_mismatch'
  /** The file on disk changed after it was scanned. */
  | 'file_changed'
  | 'source_gone'
  | 'source_unreadable'
  | 'target_exists'
  | 'target_unwritable'
  | 'disk_full';

/** A failure to transfer bytes. The message is a sentence for the user. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  readonly code: TransferErrorCode;
  /** Value of `Retry-After`, in seconds. */
  readonly retryAfter: number | null;
  /** For `line_damages`: number of damages up to now. */
  readonly times: number;

  constructor(code: TransferErrorCode, message: string, more: { cause?: unknown; retryAfter?: number | null; times?: number } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.retryAfter = more.retryAfter ?? null;
    this.times = more.times ?? 0;
  }
}
