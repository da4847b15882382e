import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { StorageError } from '#storage/errors.ts';
import { BackupError } from './backup-error.ts';
import { folderStore } from './folder-store.ts';
import type { FileStore } from './ports.ts';

/**
 * The store of backups that an operator names: a folder, or a bucket by an address like that of `--storage-url`.
 *
 * @param dataDir the service's data folder, where backups may not be
 */
export async function openStore(target: string, dataDir?: string): Promise<FileStore> {
  if (target.startsWith('s3://')) {
    // Loaded only when needed: the S3 client is our largest library.
    const { s3Store } = await import('./s3-store.ts');
    try {
      return s3Store(target);
    } catch (error) {
      if (error instanceof StorageError) throw new BackupError('no_backups', error.message, { cause: error });
      throw error;
    }
  }
  const folder = await real(resolve(target));
  if (dataDir === undefined) return folderStore(folder);
  const own = await real(resolve(dataDir));
  if ((folder + sep).startsWith(own + sep))
    throw new BackupError(
      'place_unusable',
      `${folder} is in the service's own data folder, and would be lost with it. Choose a folder on another disk.`,
    );
  return folderStore(folder);
}

const real = (path: string): Promise<string> => realpath(path).catch(() => path);
