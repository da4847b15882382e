import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { objectsIdFileName } from '../objects-folder.ts';
import { BackupError } from './backup-error.ts';

/**
 * Makes sure that a folder has the objects of this database: in another one all would look lost. `ofBucket` ends the sentence
 * that says that they are in a bucket. Errors: `BackupError`, `no_local_objects`.
 */
export async function checkLocalObjects(client: pg.Client, objectsDir: string, ofBucket: string): Promise<void> {
  const { rows } = await client.query<{ value: string }>(`select value from service_facts where name = 'objects_folder'`);
  const known = rows[0]?.value;
  const folder = (await readFile(join(objectsDir, objectsIdFileName), 'utf8').catch(() => '')).trim();
  if (folder !== '' && known === folder) return;
  throw new BackupError(
    'no_local_objects',
    known === undefined
      ? `The objects of this service are in a bucket (--storage-url), ${ofBucket}`
      : `The objects of this service are not in ${objectsDir}. Run this on the machine with the folder, or name it (--data-dir).`,
  );
}
