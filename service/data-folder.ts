import { randomBytes } from 'node:crypto';
import { access, constants, open, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { fileProblem, StartError } from './start-error.ts';

/** The folder with a service's own data. */
export interface DataFolder {
  readonly path: string;
  readonly postgres: string;
  readonly objects: string;
  /** 32 random bytes, in a file of mode 0600. All keys derive from it; it is never in the database. */
  readonly secret: Uint8Array;
  /** Unlocks the folder for another service. */
  release(): void;
}

export const secretFileName = 'secret.key';
/** While it is there, the folder is being filled from a backup (backup/restore.ts). */
export const restoringFileName = 'restoring.json';

/**
 * Creates the folder if necessary, locks it for this process, and reads or creates its secret. Errors: `StartError`
 * for a folder in use, unwritable, on a full disk or not restored to the end, and for a damaged secret.
 */
export async function openDataFolder(given: string, { restoring = false } = {}): Promise<DataFolder> {
  const path = resolve(given);
  try {
    // As root, other users may traverse the folder but not list it: PostgreSQL then runs as another user in a
    // subfolder.
    makeDirs(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    const reason = await reasonOf(error, path);
    // For example below /proc.
    if ((reason as NodeJS.ErrnoException).code === 'ENOENT') {
      const message = `${path} cannot be made: its file system takes no folder there. Choose another data folder.`;
      throw new StartError('data_folder_unwritable', message, { cause: error });
    }
    throw fileProblem(reason, path);
  }
  const release = await takeLock(path);
  try {
    if (!restoring) await refuseHalfRestored(path);
    return { path, postgres: join(path, 'postgres'), objects: join(path, 'objects'), secret: await readSecret(path), release };
  } catch (error) {
    release();
    throw fileProblem(error, path);
  }
}

async function refuseHalfRestored(path: string): Promise<void> {
  const isHalf = await access(join(path, restoringFileName)).then(
    () => true,
    () => false,
  );
  if (isHalf) {
    throw new StartError(
      'restore_unfinished',
      `A backup is not restored into ${path} to its end. Run \`longshore admin restore\` again, which goes on where it stopped.`,
    );
  }
}

/** The reason why a folder could not be created. Below a read-only disk the system reports a missing folder, so check again. */
async function reasonOf(error: unknown, path: string): Promise<unknown> {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    const problem = await access(above, constants.W_OK).then(
      () => null,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (problem?.code !== 'ENOENT') return problem ?? error;
  }
  return error;
}

/**
 * An operating system lock on a file, held through SQLite (Node has no file locks). The system releases it when the
 * process ends for any reason, so a crash never leaves it behind.
 */
async function takeLock(path: string): Promise<() => void> {
  const file = join(path, 'service.lock');
  const holder = join(path, 'service.pid');
  let lock: Sqlite.Database;
  try {
    // SQLite's error for an unwritable file is vague, so try to open the file first.
    await (await open(file, 'a', 0o600)).close();
    lock = new Sqlite(file, { timeout: 0 });
  } catch (error) {
    throw fileProblem(error, path);
  }
  try {
    lock.pragma('locking_mode = exclusive');
    lock.pragma('journal_mode = memory');
    lock.exec('begin exclusive');
    await writeFile(holder, `${process.pid}\n`, { mode: 0o600 });
    return () => lock.close();
  } catch (error) {
    lock.close();
    if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw fileProblem(error, path);
    const pid = (await readFile(holder, 'utf8').catch(() => '')).trim();
    throw new StartError(
      'data_folder_in_use',
      `Another service${pid ? ` (process ${pid})` : ''} is using the data folder ${path}. Stop it, or choose another data folder.`,
      { cause: error, retryable: true },
    );
  }
}

/** The secret of the service in this folder, created if there is none. */
export async function readSecret(path: string): Promise<Uint8Array> {
  const file = join(path, secretFileName);
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new StartError('secret_key_unreadable', `The key file ${file} cannot be read: ${error.message}.`, { cause: error });
  });
  if (known !== null) {
    const secret = Buffer.from(known.trim(), 'base64url');
    if (secret.length === 32) return secret;
    throw new StartError('secret_key_unreadable', `The key file ${file} is damaged. Put back the copy from your backup.`);
  }
  const secret = randomBytes(32);
  // Synced to disk before anything is derived from it.
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${secret.toString('base64url')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return secret;
}
