/** A file that cannot be delivered, for a reason of its own that lies with us. The message may be shown. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** A file that could not be delivered. */
export interface FileFailure {
  /** Its path in the package. */
  readonly path: string;
  /** A sentence with what to do, without secrets. */
  readonly message: string;
}

/**
 * Single files could not be delivered, though the connection works: the others have been, unless there were too many such
 * files. The message names the first one and may be shown.
 */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** How many files failed. */
  readonly failed: number;
  /** The first of them. */
  readonly failures: readonly FileFailure[];

  constructor(failed: number, failures: readonly FileFailure[]) {
    const [first] = failures;
    const others = failed === 1 ? '' : ` ${failed - 1} more could not be delivered.`;
    super(`${first?.path ?? 'A file'}: ${first?.message ?? 'It could not be delivered.'}${others}`);
    this.failed = failed;
    this.failures = failures;
  }
}

/** The connection was changed and leads elsewhere than where the delivery began. The message may be shown. */
export class DestinationMovedError extends Error {
  override readonly name = 'DestinationMovedError';
  constructor() {
    super('The connection leads to another place than when this transfer began. Start a new one, or change the connection back and retry.');
  }
}
