import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { Database } from './database/schema/database.ts';
import { claimHome } from './objects-home.ts';
import { fileProblem, StartError } from './start-error.ts';

const fact = 'objects_folder';
export const objectsIdFileName = 'folder.id';

/**
 * Verifies that the folder of objects belongs to this database's packages. A second service with another folder would
 * find none of the objects: it would offer broken downloads, and its jobs would record objects in the other folder as
 * freed. A folder's id is stored in it, so that the folder may be moved. Errors: `StartError`.
 */
export async function claimObjectsFolder(db: Kysely<Database>, folder: string): Promise<void> {
  const id = await idOf(folder);
  const value = await claimHome(db, fact, id);
  if (value === id) return;
  throw new StartError(
    'storage_unusable',
    `This database's packages have their objects in another folder than ${folder}. Services that share a database need one ` +
      `storage: give each the same --storage-url. If that folder has moved, put it here, with its file ${objectsIdFileName}.`,
  );
}

async function idOf(folder: string): Promise<string> {
  const file = join(folder, objectsIdFileName);
  try {
    makeDirs(folder, 0o700);
    await writeFile(file, `${randomUUID()}\n`, { flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileProblem(error, folder);
  }
  const id = (await readFile(file, 'utf8')).trim();
  if (id !== '') return id;
  throw new StartError(
    'storage_unusable',
    `The file ${file} is empty. Restore it from a backup, or delete it if this folder holds no objects.`,
  );
}
