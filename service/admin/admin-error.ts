/** Why an operator's command failed. The message says what is wrong and what to do. */
export type AdminErrorCode =
  | 'no_service_here'
  | 'other_version'
  | 'not_answering'
  | 'team_unknown'
  | 'user_unknown'
  | 'already_exists'
  | 'invalid';

/** Nothing was changed. `retryable`: the same command may succeed soon without any change. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
  readonly code: AdminErrorCode;
  readonly retryable: boolean;

  constructor(code: AdminErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.retryable = code === 'not_answering';
  }
}
