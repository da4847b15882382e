import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { StorageError } from '#storage/errors.ts';
import { BackupError } from './backup-error.ts';
import { folderStore } from './folder-store.ts';
import type { FileStore } from './ports.ts';

/**
 * The store of backups that an operator names: a folder, or a bucket by an address like that of `--storage-url`.
 *
 * @throws BackupError `target_invalid` for any other address
 * @param dataDir the service's data folder, where backups may not be
 */
export async function openStore(target: string, dataDir?: string): Promise<FileStore> {
  if (target.startsWith('s3://')) {
    // Loaded only when needed: the S3 client is our largest library.
    const { s3Store } = await import('./s3-store.ts');
    try {
      return s3Store(target);
    } catch (error) {
      if (error instanceof StorageError) throw new BackupError('target_invalid', error.message, { cause: error });
      throw error;
    }
  }
  // As a path it would be a folder here, beside which nobody looks for a backup.
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(target))
    throw new BackupError('target_invalid', `${target.split('://')[0]}:// is no target. Name a folder, or a bucket as s3://….`);
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
