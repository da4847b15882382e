import { CommanderError } from 'commander';
import { ListenError } from '#agent-api/listen-error.ts';
import { EngineError, type EngineErrorCode } from '#engine/errors.ts';
import { ApiError, type ErrorName, errorCatalogue } from '#protocol/errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { printable } from './format.ts';

/** A failure detected by a command itself: a sentence and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: ExitCode;
  readonly retryable = false;

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The exit code by the catalogue's area; by name for an error that differs from its area. */
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

/** The exit code for an error number of the catalogue, as in a transfer's `error`. */
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

/** SQLite errors about the disk with the agent's state. Errors about a statement are bugs. */
const stateCode = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM|CORRUPT|NOTADB)/;

/** The `code` of a system error or a SQLite error: of this error or of its causes. */
function systemCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && (/^E[A-Z]+$/.test(code) || stateCode.test(code))) return code;
  }
  return '';
}

/** The exit code for a failure. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.code;
  if (error instanceof CommanderError) return exitCodes.usage;
  if (error instanceof ApiError) return exitCodeOfNumber(error.code);
  if (error instanceof EngineError) return byEngineError[error.code];
  if (error instanceof ListenError) return exitCodes.listen;
  const code = systemCode(error);
  if (listenCodes.has(code)) return exitCodes.listen;
  if (diskCodes.has(code) || stateCode.test(code)) return exitCodes.local;
  return exitCodes.failure;
}

/** A failure as one line for a person: no stack, no line breaks. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError && error.error === 'session_is_nil') {
    // The engine gives the reason of a lost session in the error's cause.
    if (error.cause instanceof Error) return `The sign-in failed: ${oneLine(error.cause.message)}`;
    return "Nobody is signed in. Sign in with `longshore login` or on the agent's page, or give a key with --api-key-file or LONGSHORE_API_KEY.";
  }
  const text = error instanceof Error ? stateSentence(error) : String(error);
  return oneLine(text) || 'Something went wrong.';
}

/** SQLite's messages do not name the disk, so this adds it. Other known errors name it already. */
function stateSentence(error: Error): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string' || !stateCode.test(code)) return error.message;
  return code.startsWith('SQLITE_FULL')
    ? "The disk with the agent's data folder is full. Free some room, and run the same command again."
    : `The agent's state file cannot be used: ${error.message}. Check the disk with its data folder, and run the same command again.`;
}

const oneLine = (text: string): string => printable(text.replaceAll(/\s+/g, ' ').trim());
