/** The reason why the service could not start. The message says what is wrong and what to do. */
export type StartErrorCode =
  | 'data_folder_in_use'
  | 'data_folder_unwritable'
  | 'disk_full'
  | 'secret_key_unreadable'
  | 'secret_key_of_another_service'
  | 'option_invalid'
  | 'port_taken'
  | 'address_unavailable'
  | 'database_unreachable'
  | 'database_cannot_start'
  | 'storage_unusable'
  | 'restore_unfinished';

/** A failed start; nothing is left running. `retryable`: the same start may succeed later without any change. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartErrorCode;
  readonly retryable: boolean;

  constructor(code: StartErrorCode, message: string, options: ErrorOptions & { readonly retryable?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** Converts a failed file operation into a `StartError` about the folder. Other errors are returned unchanged. */
export function fileProblem(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartError('disk_full', `The disk that holds ${path} is full. Free some room, or choose another data folder.`, {
        cause: error,
      });
    case 'EROFS':
      return new StartError(
        'data_folder_unwritable',
        `${path} is on a read-only disk. Choose another data folder, remount the disk, or, under systemd, name it in the unit (ReadWritePaths=).`,
        {
          cause: error,
        },
      );
    case 'EACCES':
    case 'EPERM':
      return new StartError(
        'data_folder_unwritable',
        `${path} may not be written by this user. Change its owner, or choose another data folder.`,
        {
          cause: error,
        },
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartError('data_folder_unwritable', `${path} cannot be a folder: a file is in its way. Choose another data folder.`, {
        cause: error,
      });
    default:
      return error;
  }
}

/** The data folder's secret is not the one that its database was made with. */
export const otherKey = (cause?: unknown): StartError =>
  new StartError(
    'secret_key_of_another_service',
    'This database belongs to a service with another key. Copy the file secret.key from the data folder of that service into this one, then start again.',
    { cause },
  );
