import { sql } from 'kysely';
import type { Context } from '../handler.ts';

/** How many left-over keys one call may free besides its own. */
const leftOversPerCall = 10;

/**
 * Frees the bytes of files that are gone. Their keys were noted in `freed_objects` by the statement that
 * removed the files, so a crash or a failing storage loses none: the next removal frees what was left over.
 * The files are gone for their sender already; a storage that fails now is only logged.
 */
export async function freeObjects({ db, storage, log }: Pick<Context, 'db' | 'storage' | 'log'>, keys: readonly string[]): Promise<void> {
  const leftOver = await sql<{ key: string }>`
    select key from freed_objects where key <> all(${keys}::text[]) order by noted_at limit ${leftOversPerCall}`.execute(db);
  const freed: string[] = [];
  for (const key of [...keys, ...leftOver.rows.map((row) => row.key)]) {
    try {
      await storage.abort(key);
      await storage.delete(key);
      freed.push(key);
    } catch (error) {
      log.warn({ err: error, key }, 'the storage did not free an object; it is tried again later');
    }
  }
  if (freed.length > 0) await sql`delete from freed_objects where key = any(${freed}::text[])`.execute(db);
}
