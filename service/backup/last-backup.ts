import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const fileName = 'last-backup.json';

/**
 * Notes in the data folder when a backup that is whole was begun, so that the service can tell how old the newest one is.
 * Whoever makes backups may be another user: the file is readable to all who may enter the folder.
 */
export async function noteBackup(dataDir: string, begunAt: string): Promise<void> {
  const path = join(dataDir, fileName);
  const unfinished = `${path}.new`;
  await writeFile(unfinished, JSON.stringify({ begun_at: begunAt }));
  await chmod(unfinished, 0o644);
  await rename(unfinished, path);
}

/** When the last backup was begun that was noted here; `null` if none was. */
export async function readLastBackup(dataDir: string): Promise<Date | null> {
  const text = await readFile(join(dataDir, fileName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : new Date((JSON.parse(text) as { begun_at: string }).begun_at);
}
