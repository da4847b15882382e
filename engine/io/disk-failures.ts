import { TransferError } from '#client/errors.ts';

/**
 * Maps a failed system call on a file that is read to its meaning for the transfer. Errors of the catalogue are
 * returned unchanged.
 */
export function sourceFailure(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === null) return cause;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new TransferError('source_gone', `${path} is not there any more. Put it back, or connect its drive again.`, { cause });
  }
  return new TransferError(
    'source_unreadable',
    `${path} cannot be read (${code}). Check its permissions, and that its drive is connected.`,
    {
      cause,
    },
  );
}

/** The same for a file that is written. */
export function targetFailure(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === null) return cause;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new TransferError('disk_full', `There is no room left to write ${path}. Free some; work goes on by itself.`, { cause });
  if (code === 'EFBIG')
    return new TransferError(
      'target_unwritable',
      `${path} is larger than its disk's file system allows. Choose a folder on another disk.`,
      {
        cause,
      },
    );
  if (code === 'ENAMETOOLONG')
    return new TransferError('target_unwritable', `${path} is longer than its disk can hold. Choose a folder with a shorter path.`, {
      cause,
    });
  if (code === 'EEXIST') return new TransferError('target_exists', `${path} exists already.`, { cause });
  return new TransferError(
    'target_unwritable',
    `${path} cannot be written (${code}). Check that its folder is there and its permissions.`,
    {
      cause,
    },
  );
}

/** The code of a system error, `null` for every other value. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  return String(error.code);
}

export function changed(path: string): TransferError {
  return new TransferError('file_changed', `${path} has changed since it was added. Wait until nothing writes to it, then try again.`);
}
