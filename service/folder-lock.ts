import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { fileProblem, StartError } from './start-error.ts';

/**
 * Locks of the operating system on files in a data folder, held through SQLite (Node has no file locks). The system
 * releases them when the process ends for any reason, so a crash never leaves one behind.
 */

/**
 * `alone`: nobody else uses the folder. `shared`: other processes with roles may. `storage`: the same, and this one serves the
 * objects in it, which one process does at a time.
 */
export type FolderUse = 'alone' | 'shared' | 'storage';

const locks = { folder: 'service.lock', storage: 'storage.lock' } as const;
/** Another process that looks for a moment whether the folder is in use is waited for. */
const sharedWait = 200;

/** Returns what releases it. Errors: `StartError` with the code `data_folder_in_use`, and those of the disk. */
export async function lockFolder(path: string, use: FolderUse): Promise<() => void> {
  const release = await takeLock(path, locks.folder, use === 'alone' ? 'exclusive' : 'shared');
  if (use !== 'storage') return release;
  try {
    const releaseStorage = await takeLock(path, locks.storage, 'exclusive');
    return () => {
      releaseStorage();
      release();
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function takeLock(path: string, name: (typeof locks)[keyof typeof locks], mode: 'exclusive' | 'shared'): Promise<() => void> {
  const file = join(path, name);
  const holder = file.replace(/\.lock$/, '.pid');
  let lock: Sqlite.Database;
  try {
    // SQLite's error for an unwritable file is vague, so try to open the file first.
    await (await open(file, 'a', 0o600)).close();
    lock = new Sqlite(file, { timeout: mode === 'shared' ? sharedWait : 0 });
  } catch (error) {
    throw fileProblem(error, path);
  }
  try {
    if (mode === 'exclusive') {
      lock.pragma('locking_mode = exclusive');
      lock.pragma('journal_mode = memory');
      lock.exec('begin exclusive');
      await writeFile(holder, `${process.pid}\n`, { mode: 0o600 });
    } else {
      lock.exec('begin');
      // The lock comes with the first read, and stays until the transaction ends.
      lock.prepare('select count(*) from sqlite_schema').get();
    }
    return () => lock.close();
  } catch (error) {
    lock.close();
    if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw fileProblem(error, path);
    throw inUse(path, name, mode, await holderIn(holder), error);
  }
}

/** The id of the process that wrote it, if that is alive: those that share a folder write none. */
async function holderIn(file: string): Promise<string> {
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).trim());
  if (!Number.isSafeInteger(pid) || pid <= 0) return '';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return '';
  }
  return ` (process ${pid})`;
}

function inUse(path: string, name: string, mode: 'exclusive' | 'shared', holder: string, cause: unknown): StartError {
  const another =
    name === locks.storage
      ? `Another process${holder} with the role storage serves the objects in the data folder ${path}. Stop it; one process serves a folder of objects.`
      : mode === 'shared'
        ? `A service with all roles${holder} is using the data folder ${path}. Stop it, and give each process its --role; or choose another data folder.`
        : `Another service${holder} is using the data folder ${path}. Stop it, or choose another data folder.`;
  return new StartError('data_folder_in_use', another, { cause, retryable: true });
}
