import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { BackupError } from './backup/backup-error.ts';
import type { Database } from './database/schema/database.ts';
import { claimHome } from './objects-home.ts';
import { StartError } from './start-error.ts';

/** Object with the id of a bucket, as `folder.id` is that of a folder (objects-folder.ts). */
export const bucketIdKey = 'bucket.id';

const fact = 'objects_bucket';

/**
 * Verifies that a bucket has the objects of this database's packages. With another one all would look lost. The id lies in
 * the bucket, so that it may be copied elsewhere. Errors: `StartError`; `StorageError`.
 */
async function claimBucket(db: Kysely<Database>, storage: ObjectStorage): Promise<void> {
  const found = await idIn(storage);
  const value = await claimHome(db, fact, found ?? randomUUID());
  if (found === null) await storage.write(bucketIdKey, Buffer.from(`${value}\n`));
  else if (found !== value) {
    throw new StartError(
      'storage_unusable',
      "This database's packages have their objects in another bucket than --storage-url names, or in another folder of it. " +
        `Name that one. If its objects were copied here, copy ${bucketIdKey} with them.`,
    );
  }
}

/** The same at a start. Errors: `StartError`. */
export async function claimOwnBucket(db: Kysely<Database>, storage: ObjectStorage): Promise<void> {
  try {
    await claimBucket(db, storage);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StartError('storage_unusable', error.message, { cause: error, retryable: error.retryable });
  }
}

/** The same for a check. Errors: `BackupError`; `StorageError`. */
export async function requireOwnBucket(client: pg.Client, storage: ObjectStorage): Promise<void> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select name, value from service_facts where name in ('objects_folder', $1)`,
    [fact],
  );
  const found = await idIn(storage);
  if (found !== null && rows.some(({ name, value }) => name === fact && value === found)) return;
  const isLocal = rows.every(({ name }) => name === 'objects_folder') && rows.length > 0;
  throw new BackupError(
    'no_local_objects',
    isLocal
      ? 'The objects of this service are in a folder. Leave out --storage-url, and STORAGE_URL in the environment.'
      : 'The objects of this service are in another bucket than --storage-url names, or in another folder of it. Name that one.',
  );
}

async function idIn(storage: ObjectStorage): Promise<string | null> {
  try {
    return (await buffer(await storage.read(bucketIdKey))).toString('utf8').trim();
  } catch (error) {
    if (error instanceof StorageError && error.code === 'no_such_object') return null;
    throw error;
  }
}
