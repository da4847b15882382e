/** Why an engine could not start or continue. Errors of a caller's request are `ApiError`s instead. */
export type EngineErrorCode =
  | 'data_folder_in_use'
  | 'data_folder_unusable'
  | 'data_folder_newer'
  | 'vault_key_wrong'
  | 'vault_key_too_short'
  | 'vault_unusable'
  | 'keychain_unavailable'
  | 'bad_service_url';

export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;
  /** Whether the same call may succeed later without a person doing anything. */
  readonly retryable: boolean;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.retryable = code === 'data_folder_in_use' || code === 'keychain_unavailable';
  }
}

/** The `code` of a system error (`ENOENT`, `SQLITE_BUSY` …), or an empty string. */
export function systemCode(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** A failure's own message, for the end of a sentence. */
export function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
