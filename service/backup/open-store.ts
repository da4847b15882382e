import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { BackupError } from './backup-error.ts';
import { folderStore } from './folder-store.ts';
import type { FileStore } from './ports.ts';

/**
 * The place that an operator names.
 *
 * @param dataDir the service's data folder, which is none
 */
export async function openStore(target: string, dataDir: string): Promise<FileStore> {
  const folder = await real(resolve(target));
  const own = await real(resolve(dataDir));
  if ((folder + sep).startsWith(own + sep))
    throw new BackupError(
      'place_unusable',
      `${folder} is in the service's own data folder, and would be lost with it. Choose a folder on another disk.`,
    );
  return folderStore(folder);
}

const real = (path: string): Promise<string> => realpath(path).catch(() => path);
