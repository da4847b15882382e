import { randomBytes, randomUUID } from 'node:crypto';
import { access, constants, link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { clusterFolder, isCluster } from './database/cluster-folder.ts';
import { type FolderUse, lockFolder } from './folder-lock.ts';
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

interface OpenOptions {
  readonly restoring?: boolean;
  readonly use?: FolderUse;
}

/**
 * Creates the folder if necessary, locks it for this process, and reads or creates its secret. Errors: `StartError`
 * for a folder in use, unwritable, on a full disk or not restored to the end, and for a secret that is damaged or lost.
 */
export async function openDataFolder(given: string, { restoring = false, use = 'alone' }: OpenOptions = {}): Promise<DataFolder> {
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
  const release = await lockFolder(path, use);
  try {
    if (!restoring) await refuseHalfRestored(path);
    return { path, postgres: join(path, 'postgres'), objects: join(path, 'objects'), secret: await readOrMakeSecret(path), release };
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

/** The secret of the service in this folder. Errors: `StartError`, also where there is none. */
export async function readSecret(path: string): Promise<Uint8Array> {
  const known = await knownSecret(path);
  if (known === null) throw secretMissing(path);
  return known;
}

async function readOrMakeSecret(path: string): Promise<Uint8Array> {
  const known = await knownSecret(path);
  if (known !== null) return known;
  // The password of a database of our own is made of the key: a new one would lock it out.
  if (await isCluster(await clusterFolder(join(path, 'postgres')))) throw secretMissing(path);
  await keepFirst(join(path, secretFileName), `${randomBytes(32).toString('base64url')}\n`);
  return await readSecret(path);
}

async function knownSecret(path: string): Promise<Uint8Array | null> {
  const file = join(path, secretFileName);
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new StartError('secret_key_unreadable', `The key file ${file} cannot be read: ${error.message}.`, { cause: error });
  });
  if (known === null) return null;
  const secret = Buffer.from(known.trim(), 'base64url');
  if (secret.length === 32) return secret;
  throw new StartError('secret_key_unreadable', `The key file ${file} is damaged. Put back the copy from your backup.`);
}

const secretMissing = (path: string): StartError =>
  new StartError(
    'secret_key_unreadable',
    `There is no key file ${join(path, secretFileName)}, and the database opens to no other key. Put it back from your backup, or from another machine of this service.`,
  );

/** File systems that have no hard links, by the error for one. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Writes a new file, unless another process has written one meanwhile: then that one stays. The file is whole and on the disk
 * as soon as it has its name.
 */
async function keepFirst(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    await link(temporary, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (noLinks.includes(code)) await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true });
    else if (code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
