import type { Socket } from 'node:net';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { newTraceId } from '#protocol/trace-context.ts';

/** Fields of the web framework's own errors. */
interface FrameworkError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
}

/** Logs a failure for the operator, who may see details that the caller must not see. */
export type FailureLog = (message: string, details: { readonly id: string; readonly error: unknown }) => void;

/**
 * Converts any failure to an error of the catalogue. An unexpected failure is logged under an id; the caller gets only
 * this id, which is that of the call's trace if it has one.
 */
export function toApiError(error: unknown, log: FailureLog, traceId: string | null): ApiError {
  if (error instanceof ApiError) return error;
  const failure = error as FrameworkError;
  switch (failure.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('body_too_large', { limit: limits.bodyBytes });
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new ApiError('malformed_json', { detail: 'it is empty.' });
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ApiError('malformed_json', { detail: whereItBreaks(failure.message) });
    default:
  }
  const status = failure.statusCode ?? 500;
  if (status >= 400 && status < 500) return new ApiError('invalid_request', { detail: failure.message });
  const id = traceId ?? newTraceId();
  log('A request failed unexpectedly.', { id, error });
  return new ApiError('internal', { id }, { cause: error });
}

/** The parser's message quotes the body, which may contain a password. Only the position is reported. */
function whereItBreaks(message: string): string {
  const position = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message);
  if (position) return `it breaks ${position[0]}.`;
  return message.includes('end of JSON') ? 'it ends too early.' : 'it holds something that JSON does not know.';
}

/** Whether a path would lead out of the folder of the pages, as the framework's file server says it. */
export const isOutsidePages = (error: unknown): boolean => !(error instanceof ApiError) && (error as FrameworkError).statusCode === 403;

/** Answers what is no HTTP, on the socket itself: there is neither a request nor a reply. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const { body } = new ApiError('invalid_request', {
    detail: late
      ? 'The request did not come to its end in time. Send it again.'
      : 'The request is not valid HTTP, or its head is too large.',
  });
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
