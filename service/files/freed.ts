import { sql } from 'kysely';
import pLimit from 'p-limit';
import { limits } from '#protocol/limits.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import type { Context } from '../handler.ts';
import type { JobContext } from '../jobs/jobs.ts';

/** Keys freed at once, and read at once. */
const atOnce = 8;
const perRead = 200;

/**
 * For so long after a file is gone something may still appear under its key: a sender may use the request that
 * begins an upload, and what the storage itself lets in late.
 */
export const settlingSeconds = (storage: Pick<ObjectStorage, 'lateSeconds'>): number =>
  Math.max(limits.blueprintSeconds, storage.lateSeconds ?? 0);

/** Frees what the storage holds under a key, and asks it whether that is gone. Errors: `StorageError`. */
export async function freeKey(storage: ObjectStorage, key: string): Promise<void> {
  await storage.abort(key);
  await storage.delete(key);
  if (await storage.head(key)) {
    throw new StorageError('storage_unavailable', 'The storage still has an object that it was told to delete.');
  }
}

/**
 * Frees many keys, a few at a time, and gives those that are freed. What fails is only logged: whoever asks tries
 * those again.
 */
export async function freeKeys({ storage, log }: Pick<Context, 'storage' | 'log'>, keys: readonly string[]): Promise<string[]> {
  const freed: string[] = [];
  await pLimit(atOnce).map(keys, async (key) => {
    try {
      await freeKey(storage, key);
      freed.push(key);
    } catch (error) {
      log.warn({ err: error, key }, 'the storage did not free an object; it is tried again later');
    }
  });
  return freed;
}

/**
 * Frees the bytes of files that are gone. Their keys were noted in `freed_objects` by the statement that removed
 * the files, so that a crash or a failing storage loses none. The note stays until nothing can appear under the
 * key any more, and `sweepFreed` has been there then.
 */
export async function freeObjects(context: Pick<Context, 'db' | 'storage' | 'log' | 'now'>, keys: readonly string[]): Promise<void> {
  const freed = await freeKeys(context, keys);
  await sql`update freed_objects set freed_at = ${context.now()}::timestamptz where key = any(${freed}::text[])`.execute(context.db);
}

/** Frees what is noted and not freed yet, and once more what has settled; that is struck out. */
export async function sweepFreed(context: JobContext): Promise<void> {
  const { db, storage, now, signal } = context;
  const settled = new Date(now().getTime() - settlingSeconds(storage) * 1000);
  for (let last = ''; ; ) {
    signal.throwIfAborted();
    const { rows } = await sql<{ key: string }>`
      select key from freed_objects
      where key > ${last} and (freed_at is null or noted_at < ${settled}::timestamptz)
      order by key limit ${perRead}`.execute(db);
    if (rows.length === 0) return;
    last = rows.at(-1)!.key;
    const freed = await freeKeys(
      context,
      rows.map(({ key }) => key),
    );
    await sql`
      with over as (delete from freed_objects where key = any(${freed}::text[]) and noted_at < ${settled}::timestamptz returning key)
      update freed_objects set freed_at = ${now()}::timestamptz
      where key = any(${freed}::text[]) and noted_at >= ${settled}::timestamptz`.execute(db);
  }
}
