import { MoveError } from '#client/errors.ts';
import { passesByItself, remedyFor } from '#client/faults.ts';
import { ApiError, type ErrorBody, type ErrorName } from '#protocol/errors.ts';
import { systemCode, wordsOf } from '../errors.ts';
import type { Failure } from './states.ts';

/** Refusals that hold for every file of a transfer, so that going on with the next one is of no use. */
const wholeTransfer: ReadonlySet<ErrorName> = new Set([
  'credential_missing',
  'credential_invalid',
  'key_suspended',
  'team_inactive',
  'not_allowed',
  'not_found',
  'state_conflict',
  'package_expired',
  'link_expired',
  'link_inactive',
  'link_used_up',
  'link_password_wrong',
  'portal_closed',
  'session_is_nil',
  'session_expired',
]);

/** Whether a failure that a file met ends its transfer, or only that file. Faults of our own end the transfer. */
export function endsTransfer(error: unknown): boolean {
  if (error instanceof MoveError) return false;
  return error instanceof ApiError ? wholeTransfer.has(error.error) : true;
}

/** Any failure as an entry of the catalogue, in a sentence for a person. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof MoveError) return new ApiError('move_failed', { detail: error.message }, { cause: error });
  const code = systemCode(error);
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return new ApiError('agent_disk_full', {}, { cause: error });
  return new ApiError('agent_fault', { detail: wordsOf(error) }, { cause: error });
}

export function failureOf(error: unknown): Failure {
  const { code, message } = bodyOf(error);
  return { code, message, retryable: passesByItself(remedyFor(error)) };
}

/** Code and sentence; the service's own sentence where it gave one. */
export function bodyOf(error: unknown): ErrorBody {
  const { code, message } = asApiError(error);
  return { code, message };
}
