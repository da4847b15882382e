import { StorageError } from '#storage/errors.ts';
import { openStorage } from '#storage/open.ts';
import { BackupError } from '../backup/backup-error.ts';
import { type Bucket, isBucket } from './bucket.ts';

/** The bucket of `--storage-url`, for a command: it signs no addresses. Errors: `BackupError`. */
export async function openBucket(url: string): Promise<Bucket> {
  try {
    const { storage } = await openStorage(url, { secret: new Uint8Array(32), url: 'http://localhost' });
    if (isBucket(storage)) return storage;
    throw new BackupError('no_local_objects', 'This storage cannot list its objects.');
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new BackupError('place_unusable', error.message, { cause: error });
  }
}
