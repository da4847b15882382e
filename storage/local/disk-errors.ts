import { StorageError } from '../errors.ts';

const errnoOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

export const isAbsent = (error: unknown): boolean => errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';

export const isThere = (error: unknown): boolean => errnoOf(error) === 'EEXIST' || errnoOf(error) === 'ENOTEMPTY';

/** Converts an operating system error to a storage failure. Handle a missing file before: only the caller knows its meaning. */
export function diskError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const options = { cause: error };
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StorageError('storage_full', 'The storage is full. Nothing is lost; try again when some room has been made.', options);
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new StorageError(
        'storage_read_only',
        'The storage cannot be written at the moment. Its operator must check permissions and mount; try again later.',
        options,
      );
    default:
      return new StorageError('storage_unavailable', 'The storage had a failure of its disk. Try again soon.', options);
  }
}
