import { TransferError } from '#client/errors.ts';
import { passesByItself, personsRemedyFor, remedyFor } from '#client/faults.ts';
import type { PersonsRemedy } from '#protocol/agent/remedy.ts';
import { AgentError, ApiError, type ErrorBody } from '#protocol/errors.ts';
import { systemCode, wordsOf } from '../errors.ts';
import { mayBeWrittenLater } from '../state/writer.ts';
import type { Advice, Failure } from './state-machine.ts';

/** Any failure as an entry of the catalogue, with a sentence for a person. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TransferError) return new AgentError('move_failed', { detail: error.message }, { cause: error });
  const code = systemCode(error);
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return new AgentError('agent_disk_full', {}, { cause: error });
  if (mayBeWrittenLater({ cause: error })) return new AgentError('agent_state_unwritable', { detail: wordsOf(error) }, { cause: error });
  return new AgentError('agent_fault', { detail: wordsOf(error) }, { cause: error });
}

export function failureOf(error: unknown): Failure {
  return { ...bodyOf(error), retryable: passesByItself(remedyFor(sorted(error))) };
}

/** Code and sentence (the service's own if it sent one), and fields for programs. */
export function bodyOf(error: unknown): ErrorBody & Advice {
  const { code, message } = asApiError(error);
  return { code, message, ...adviceFor(error) };
}

/** Some files of a transfer failed, and what helps depends on why they did. */
export class FilesFailed extends AgentError {
  readonly remedy: PersonsRemedy;

  constructor(details: Readonly<Record<'count' | 'total' | 'detail', string | number>>, remedy: PersonsRemedy) {
    super('files_failed', details);
    this.remedy = remedy;
  }
}

export function adviceFor(error: unknown): Advice {
  const known = sorted(error);
  const cause = known instanceof TransferError ? known.code : known.error;
  const remedy = known instanceof FilesFailed ? known.remedy : personsRemedyFor(known);
  return { cause, remedy, needsPerson: !passesByItself(remedyFor(known)) };
}

/** The error as the failure table knows it: errors of the local disk and internal errors are in the catalogue. */
const sorted = (error: unknown): TransferError | ApiError => (error instanceof TransferError ? error : asApiError(error));
