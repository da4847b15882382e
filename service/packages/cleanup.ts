import { sql } from 'kysely';
import { limits } from '#protocol/limits.ts';
import { inTransaction } from '../database/transaction.ts';
import { deleteObjects } from '../files/object-cleanup.ts';
import { deleteSegments } from '../files/segment-cleanup.ts';
import { countRemoved } from '../files/segments.ts';
import type { JobContext, JobHandler } from '../jobs/context.ts';
import { forgetTransferFiles } from '../transfers/package-end.ts';

/** Files deleted before progress is recorded. */
const filesPerBatch = 200;

/** Longer than all retries of one job in total: after that, no attempt is in progress any more. */
const stalledAfterMilliseconds = 3 * 24 * 3600 * 1000;

/**
 * Deletes what the storage holds of a package that has ended, verifies that each object is gone, then deletes the
 * files' rows, then the form's response. The package's record stays (contract/packages.md §4). Works in batches: an
 * attempt that is interrupted or fails is resumed where it stopped.
 */
export const cleanUpPackage: JobHandler<'packages.free'> = async ({ package_id: packageId }, context) => {
  const { db, caches, now, signal, events } = context;
  const row = await db.selectFrom('packages').select('free_asked_at').where('id', '=', packageId).executeTakeFirst();
  if (!row?.free_asked_at) return;
  // Notifies those who follow the package: its end was not caused by a call.
  events.changed(packageId);
  let failed = 0;
  for (let last = ''; ; ) {
    signal.throwIfAborted();
    const files = await db
      .selectFrom('files')
      .select(['id', 'kind', 'object_key'])
      .where('package_id', '=', packageId)
      .$if(last !== '', (select) => select.where('id', '>', last))
      .orderBy('id')
      .limit(filesPerBatch)
      .execute();
    if (files.length === 0) break;
    last = files.at(-1)!.id;
    const keys = files.filter(({ kind, object_key }) => kind === 'file' && object_key === null).map(({ id }) => id);
    const freed = await deleteObjects(context, keys);
    failed += keys.length - freed.length;
    // A folder has no object, and a packed file none of its own.
    const others = files.filter(({ kind, object_key }) => kind === 'directory' || object_key !== null).map(({ id }) => id);
    const segments = await removeRows(context, [...freed, ...others]);
    if (segments.length > 0) await deleteSegments(context, segments);
    for (const id of freed) caches.uploads.delete(id);
  }
  if (failed > 0) throw new Error(`the storage did not free ${failed} objects of package ${packageId}`);
  await inTransaction(db, async (trx) => {
    await trx
      .deleteFrom('form_responses')
      .where('id', 'in', (select) => select.selectFrom('packages').select('form_response_id').where('id', '=', packageId))
      .execute();
    await forgetTransferFiles(trx, packageId);
    await trx.updateTable('packages').set({ free_asked_at: null, updated_at: now() }).where('id', '=', packageId).execute();
  });
};

/**
 * Deletes the rows of freed files, and returns the segments that are freed with them. If something may still be stored
 * under a file's key, the key is recorded for a later sweep (files/object-cleanup.ts); of a packed file, the storage frees
 * that by itself (`endUploads`).
 */
async function removeRows({ db, storage, now }: JobContext, ids: readonly string[]): Promise<string[]> {
  const at = now();
  const begunSince = new Date(at.getTime() - limits.blueprintSeconds * 1000);
  const { rows } = await sql<{ id: string }>`
    with gone as (
      delete from files where id = any(${ids}::uuid[]) returning id, kind, created_at, object_key
    ), ${countRemoved('gone', 'object_key', { freed: at })}, noted as (
      insert into freed_objects (key, noted_at, freed_at)
      select id::text, ${at}::timestamptz, ${at}::timestamptz from gone
      where kind = 'file' and object_key is null and (${storage.lateSeconds !== undefined} or created_at > ${begunSince}::timestamptz)
      on conflict (key) do nothing
    )
    select id from counted_out where freed_at is not null`.execute(db);
  return rows.map(({ id }) => id);
}

/** Requests again what a job has given up on, so that a storage that fails for days causes no leak. */
export async function retryStalledCleanups({ db, jobs, now, signal }: JobContext): Promise<void> {
  const at = now();
  for (;;) {
    signal.throwIfAborted();
    const asked = await inTransaction(db, async (trx) => {
      const rows = await trx
        .updateTable('packages')
        .set({ free_asked_at: at })
        .where('id', 'in', (select) =>
          select
            .selectFrom('packages')
            .select('id')
            .where('free_asked_at', '<', new Date(at.getTime() - stalledAfterMilliseconds))
            .orderBy('free_asked_at')
            .limit(100)
            // This weaker lock does not wait for rows that are being inserted with a reference to the package.
            .forNoKeyUpdate()
            .skipLocked(),
        )
        .returning('id')
        .execute();
      for (const { id } of rows) await jobs.add(trx, 'packages.free', { package_id: id });
      return rows.length;
    });
    if (asked < 100) return;
  }
}
