import { CommanderError } from 'commander';
import { ListenError } from '#agent-api/listen-error.ts';
import { EngineError, type EngineErrorCode } from '#engine/errors.ts';
import { ApiError, type ErrorName, errorCatalogue } from '#protocol/errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { printable } from './words.ts';

/** A failure that a command itself found: a sentence and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: ExitCode;
  readonly retryable = false;

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** By the catalogue's area, and by name where one stands out from its area. */
const byArea: Readonly<Record<number, ExitCode>> = {
  2: exitCodes.credential,
  3: exitCodes.notFound,
  4: exitCodes.credential,
  5: exitCodes.unreachable,
  8: exitCodes.local,
};
const byName: Partial<Record<ErrorName, ExitCode>> = {
  invalid_request: exitCodes.usage,
  not_allowed: exitCodes.credential,
  state_conflict: exitCodes.failure,
  already_exists: exitCodes.failure,
  chunk_wrong: exitCodes.failure,
  service_unreachable: exitCodes.unreachable,
  service_refused: exitCodes.failure,
  unavailable: exitCodes.unreachable,
  storage_full: exitCodes.local,
  storage_read_only: exitCodes.local,
  range_not_satisfiable: exitCodes.failure,
  transfer_conflict: exitCodes.failure,
  link_malformed: exitCodes.usage,
  receipt_invalid: exitCodes.receipt,
  receipt_differs: exitCodes.differs,
};

/** The exit code of a failure known by its number in the catalogue, as a transfer's `error` carries it. */
export function exitCodeOfNumber(code: number): ExitCode {
  const name = (Object.keys(errorCatalogue) as ErrorName[]).find((one) => errorCatalogue[one].code === code);
  return (name && byName[name]) ?? byArea[code >> 16] ?? exitCodes.failure;
}

const byEngineError: Readonly<Record<EngineErrorCode, ExitCode>> = {
  data_folder_in_use: exitCodes.local,
  data_folder_unusable: exitCodes.local,
  data_folder_newer: exitCodes.local,
  vault_key_wrong: exitCodes.credential,
  vault_key_too_short: exitCodes.usage,
  vault_unusable: exitCodes.local,
  keychain_unavailable: exitCodes.credential,
  bad_service_url: exitCodes.usage,
};

const diskCodes = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'EMFILE']);
const listenCodes = new Set(['EADDRINUSE', 'EADDRNOTAVAIL']);

/** A `code` of a system error, here or in what caused the failure. */
function systemCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return code;
  }
  return '';
}

/** How a failure ends the command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.code;
  if (error instanceof CommanderError) return exitCodes.usage;
  if (error instanceof ApiError) return exitCodeOfNumber(error.code);
  if (error instanceof EngineError) return byEngineError[error.code];
  if (error instanceof ListenError) return exitCodes.listen;
  const code = systemCode(error);
  if (listenCodes.has(code)) return exitCodes.listen;
  if (diskCodes.has(code)) return exitCodes.local;
  return exitCodes.failure;
}

/** A failure as one line for a person: no stack, no line breaks. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError && error.error === 'session_is_nil') {
    // The engine says by the cause why a session that was there is none.
    if (error.cause instanceof Error) return `The sign-in failed: ${oneLine(error.cause.message)}`;
    return "Nobody is signed in. Sign in with `longshore login` or on the agent's page, or give a key with --api-key-file or LONGSHORE_API_KEY.";
  }
  const text = error instanceof Error ? error.message : String(error);
  return oneLine(text) || 'Something went wrong.';
}

const oneLine = (text: string): string => printable(text.replaceAll(/\s+/g, ' ').trim());
