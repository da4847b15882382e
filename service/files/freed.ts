import { sql } from 'kysely';
import pLimit from 'p-limit';
import type { Context } from '../handler.ts';

/** How many left-over keys one call may free besides its own. */
const leftOversPerCall = 10;
const freedAtOnce = 8;

/**
 * Frees the bytes of files that are gone. Their keys were noted in `freed_objects` by the statement that
 * removed the files, so a crash or a failing storage loses none: the next removal frees what was left over.
 * The files are gone for their sender already; a storage that fails now is only logged.
 */
export async function freeObjects(
  { db, storage, log, now }: Pick<Context, 'db' | 'storage' | 'log' | 'now'>,
  keys: readonly string[],
): Promise<void> {
  // Of a storage where bytes can still arrive for a while, a key is struck out only when it is freed after that.
  const late = storage.lateSeconds ?? 0;
  const settled = new Date(now().getTime() - late * 1000);
  const leftOver = await sql<{ key: string }>`
    select key from freed_objects where key <> all(${keys}::text[]) and (${late} = 0 or noted_at < ${settled}::timestamptz)
    order by noted_at limit ${leftOversPerCall}`.execute(db);
  const old = leftOver.rows.map((row) => row.key);
  const freed: string[] = [];
  await pLimit(freedAtOnce).map([...keys, ...old], async (key) => {
    try {
      await storage.abort(key);
      await storage.delete(key);
      freed.push(key);
    } catch (error) {
      log.warn({ err: error, key }, 'the storage did not free an object; it is tried again later');
    }
  });
  const over = late === 0 ? freed : freed.filter((key) => old.includes(key));
  if (over.length > 0) await sql`delete from freed_objects where key = any(${over}::text[])`.execute(db);
}
