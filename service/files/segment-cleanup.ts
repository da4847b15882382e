import { sql } from 'kysely';
import pLimit from 'p-limit';
import { limits } from '#protocol/limits.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import { breaksCheck } from '../database/violations.ts';
import type { Context } from '../handler.ts';
import type { JobContext } from '../jobs/context.ts';

/** Segments deleted concurrently, and segments per statement. */
const concurrency = 8;
const rowsPerQuery = 200;

type Cleaning = Pick<Context, 'db' | 'storage' | 'log' | 'now'>;

/** Deletes freed segments from the storage. Failures are only logged: `sweepSegments` tries again. */
export async function deleteSegments({ db, storage, log, now }: Cleaning, ids: readonly string[]): Promise<void> {
  const { deleteSegment } = storage;
  if (!deleteSegment) return;
  const deleted: string[] = [];
  await pLimit(concurrency).map(ids, async (id) => {
    try {
      await deleteSegment(id);
      deleted.push(id);
    } catch (error) {
      log.warn(
        { err: error, segment: id, onceAMinute: 'segment not freed' },
        'the storage did not free a segment; it is tried again later',
      );
    }
  });
  if (deleted.length === 0) return;
  await sql`
    update segments set deleted_at = ${now()}::timestamptz
    where id = any(${deleted}::text[]) and freed_at is not null and deleted_at is null`.execute(db);
}

/**
 * Whether files could not be recorded because segments of theirs were freed meanwhile. These are deleted then, so that
 * the storage says the next time that it does not have the files any more, and their senders send them again.
 *
 * @param keys the files' keys at the storage
 */
export async function metFreedSegment(
  { db, storage }: Pick<Context, 'db' | 'storage'>,
  error: unknown,
  keys: readonly (string | undefined)[],
): Promise<boolean> {
  if (!breaksCheck(error, 'segments_freed_unused')) return false;
  const named = new Set(keys.flatMap((key) => (key === undefined ? [] : (parsePackedKey(key)?.segment ?? []))));
  const freed = await db
    .selectFrom('segments')
    .select('id')
    .where(sql<boolean>`id = any(${[...named]}::text[])`)
    .where('freed_at', 'is not', null)
    .execute();
  for (const { id } of freed) await storage.deleteSegment!(id);
  return true;
}

/**
 * Frees segments that nothing uses any more, and deletes what is freed, also what no row has ever named. As long as
 * blueprints stand, senders may have files in a segment that are received and not finalized.
 */
export async function sweepSegments(context: JobContext): Promise<void> {
  const { db, storage, now, signal } = context;
  if (!storage.deleteSegment) return;
  const at = now();
  const settled = new Date(at.getTime() - limits.blueprintSeconds * 1000);
  await storage.endUploads?.(settled);
  await sql`
    with unused as (
      select id from segments
      where live_files = 0 and freed_at is null and created_at < ${settled}::timestamptz
        and (kept_until is null or kept_until < ${at}::timestamptz)
      order by id for update
    )
    update segments set freed_at = ${at}::timestamptz from unused where segments.id = unused.id`.execute(db);
  await freeUnknown(context, settled);
  for (let last = ''; ; ) {
    signal.throwIfAborted();
    const { rows } = await sql<{ id: string }>`
      select id from segments where live_files = 0 and freed_at is not null and deleted_at is null and id > ${last}
      order by id limit ${rowsPerQuery}`.execute(db);
    if (rows.length === 0) break;
    last = rows.at(-1)!.id;
    await deleteSegments(
      context,
      rows.map(({ id }) => id),
    );
  }
  // The row stood for a while, so that nobody who had asked the storage before could record a file in it.
  await sql`delete from segments where live_files = 0 and deleted_at < ${settled}::timestamptz`.execute(db);
}

/** Frees segments that no row names: a crash came between the storage and the rows, or their senders gave up. */
async function freeUnknown({ db, storage, now, signal }: JobContext, settled: Date): Promise<void> {
  if (!storage.listSegments) return;
  for (let last = ''; ; ) {
    signal.throwIfAborted();
    const ids = await storage.listSegments(settled, last);
    if (ids.length === 0) return;
    last = ids.at(-1)!;
    await sql`
      insert into segments (id, bytes, live_bytes, live_files, package_ids, created_at, freed_at)
      select id, 0, 0, 0, '{}', ${now()}::timestamptz, ${now()}::timestamptz
      from unnest(${ids}::text[]) as listed (id) order by id
      on conflict (id) do nothing`.execute(db);
  }
}
