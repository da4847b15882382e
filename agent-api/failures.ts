import { randomUUID } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';

/** What the web framework's own failures carry. */
interface FrameworkError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
}

/** How a failure is told to the operator, who sees what the caller must not. */
export type FailureLog = (message: string, details: { readonly id: string; readonly error: unknown }) => void;

/** Any failure as an error of the catalogue. One that nobody foresaw is logged under an id, which is all the caller gets. */
export function toApiError(error: unknown, log: FailureLog): ApiError {
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
  const id = randomUUID();
  log('A request failed unexpectedly.', { id, error });
  return new ApiError('internal', { id }, { cause: error });
}

/** The parser's own words quote the body, in which a password may stand. Where it breaks is enough. */
function whereItBreaks(message: string): string {
  const position = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message);
  if (position) return `it breaks ${position[0]}.`;
  return message.includes('end of JSON') ? 'it ends too early.' : 'it holds something that JSON does not know.';
}
