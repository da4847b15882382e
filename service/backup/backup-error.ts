/** Why a backup, its verification or a restore failed. The message says what is wrong and the way out. */
export type BackupErrorCode =
  | 'target_invalid'
  | 'place_unusable'
  | 'place_full'
  | 'no_backups'
  | 'other_service'
  | 'unknown_format'
  | 'passphrase'
  | 'not_empty'
  | 'other_version'
  | 'busy'
  | 'no_local_objects'
  | 'damaged'
  | 'lost';

export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Bytes that are not what their name or list says. `detail` ends a sentence that begins with their path. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError';
}

export const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException | null)?.code ?? ''));

/** A failure of a place, in words with the way out. Other errors are returned unchanged. */
export function storeProblem(error: unknown, store: string): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new BackupError(
        'place_full',
        `${store} is full. Free some room, and run the same command again: it goes on where it stopped.`,
        {
          cause: error,
        },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new BackupError(
        'place_unusable',
        `${store} cannot be read and written by this user. Change its owner or its mount, or choose another.`,
        {
          cause: error,
        },
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return new BackupError('place_unusable', `${store} cannot be a folder: a file is in its way. Choose another.`, { cause: error });
    case 'EIO':
    case 'ESTALE':
    case 'ENODEV':
      return new BackupError('place_unusable', `The disk of ${store} fails (${code}). Check it, then run the same command again.`, {
        cause: error,
      });
    default:
      return error;
  }
}
