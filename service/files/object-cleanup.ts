import { sql } from 'kysely';
import pLimit from 'p-limit';
import { limits } from '#protocol/limits.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import type { Context } from '../handler.ts';
import type { JobContext } from '../jobs/context.ts';

/** Keys freed concurrently, and keys per read. */
const concurrency = 8;
const rowsPerQuery = 200;

/**
 * For this long after a file is deleted, something may still be stored under its key: a sender may use a signed
 * request that starts an upload, or the storage itself may accept data late.
 */
const lateWriteSeconds = (storage: Pick<ObjectStorage, 'lateSeconds'>): number =>
  Math.max(limits.blueprintSeconds, storage.lateSeconds ?? 0);

/** Deletes what the storage holds under a key, and verifies that it is gone. Errors: `StorageError`. */
async function deleteObject(storage: ObjectStorage, key: string): Promise<void> {
  await storage.abort(key);
  await storage.delete(key);
  if (await storage.head(key)) {
    throw new StorageError('storage_unavailable', 'The storage still has an object that it was told to delete.');
  }
}

/**
 * Deletes a batch of keys with limited concurrency, and returns the deleted ones. Failures are only logged: the
 * caller retries those keys.
 */
export async function deleteObjects({ storage, log }: Pick<Context, 'storage' | 'log'>, keys: readonly string[]): Promise<string[]> {
  const freed: string[] = [];
  await pLimit(concurrency).map(keys, async (key) => {
    try {
      await deleteObject(storage, key);
      freed.push(key);
    } catch (error) {
      log.warn({ err: error, key, onceAMinute: 'object not freed' }, 'the storage did not free an object; it is tried again later');
    }
  });
  return freed;
}

/**
 * Frees the storage of deleted files. Their keys were recorded in `freed_objects` by the statement that removed the
 * files, so that a crash or a failing storage loses none. The record stays until nothing can be stored under the key
 * any more, and `sweepDeletedObjects` has run after that.
 */
export async function cleanUpObjects(context: Pick<Context, 'db' | 'storage' | 'log' | 'now'>, keys: readonly string[]): Promise<void> {
  const freed = await deleteObjects(context, keys);
  await sql`update freed_objects set freed_at = ${context.now()}::timestamptz where key = any(${freed}::text[])`.execute(context.db);
}

/** Deletes the objects that are recorded and not deleted yet, deletes settled ones once more, and then removes their records. */
export async function sweepDeletedObjects(context: JobContext): Promise<void> {
  const { db, storage, now, signal } = context;
  const settled = new Date(now().getTime() - lateWriteSeconds(storage) * 1000);
  for (let last = ''; ; ) {
    signal.throwIfAborted();
    const { rows } = await sql<{ key: string }>`
      select key from freed_objects
      where key > ${last} and (freed_at is null or noted_at < ${settled}::timestamptz)
      order by key limit ${rowsPerQuery}`.execute(db);
    if (rows.length === 0) return;
    last = rows.at(-1)!.key;
    const freed = await deleteObjects(
      context,
      rows.map(({ key }) => key),
    );
    await sql`
      with over as (delete from freed_objects where key = any(${freed}::text[]) and noted_at < ${settled}::timestamptz returning key)
      update freed_objects set freed_at = ${now()}::timestamptz
      where key = any(${freed}::text[]) and noted_at >= ${settled}::timestamptz`.execute(db);
  }
}
