/** A file that could not be delivered, for a reason of its own. */
export interface FileFailure {
  /** Its path in the package. */
  readonly path: string;
  /** A sentence with what to do, without secrets. */
  readonly message: string;
}

/**
 * Single files could not be delivered, though the connection works: all others have been. The message names the first one
 * and may be shown.
 */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** How many files failed. */
  readonly failed: number;
  /** The first of them. */
  readonly failures: readonly FileFailure[];

  constructor(failed: number, failures: readonly FileFailure[], options?: ErrorOptions) {
    const [first] = failures;
    const others = failed > 1 ? ` ${failed - 1} more could not be delivered.` : '';
    super(`${first?.path ?? 'A file'}: ${first?.message ?? 'it could not be delivered.'}${others}`, options);
    this.failed = failed;
    this.failures = failures;
  }
}
