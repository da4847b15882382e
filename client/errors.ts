import type { TransferCause } from '#protocol/agent/remedy.ts';
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
  /** Under this id the service's log and traces have the call; empty where the answer has none. */
  readonly traceId: string;

  constructor(
    error: HostedErrorName,
    details: Readonly<Record<string, string | number>>,
    more: { answered: number; retryAfter?: number | null; message?: string; cause?: unknown; foreign?: boolean; traceId?: string },
  ) {
    super(error, details, more.cause === undefined ? undefined : { cause: more.cause });
    this.answered = more.answered;
    this.retryAfter = more.retryAfter ?? null;
    this.foreign = more.foreign ?? false;
    this.traceId = more.traceId ?? '';
    if (more.message !== undefined) this.message = more.message;
  }
}

/** A failure to transfer bytes; `faults.ts` says what is done about it. The message is a sentence for the user. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  readonly code: TransferCause;
  /** Value of `Retry-After`, in seconds. */
  readonly retryAfter: number | null;
  /** For `line_damages`: number of damages up to now. */
  readonly times: number;

  constructor(code: TransferCause, message: string, more: { cause?: unknown; retryAfter?: number | null; times?: number } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.retryAfter = more.retryAfter ?? null;
    this.times = more.times ?? 0;
  }
}

/** Codes of errors that say that a connection was silent for too long; a browser gives none of them. */
const silences: ReadonlySet<unknown> = new Set(['STALLED', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

/** Whether a request failed since no byte moved for too long. */
export const isSilence = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && silences.has(cause.code);

/** The storage was silent for too long. */
export const storageStalled = (cause: unknown): TransferError =>
  new TransferError('stalled', 'The storage stopped: no byte moved for too long.', { cause });
