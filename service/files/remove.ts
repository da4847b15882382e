import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { HandlersOf } from '../handler.ts';
import { requireOpenForFiles } from '../packages/package-facts.ts';
import { cleanUpObjects } from './object-cleanup.ts';
import { countRemoved } from './segments.ts';
import { requireOwnOfTask } from './task-access.ts';

/**
 * Removes a file from a package that is `new`, and frees its storage, also of an unfinished upload. If a Portal
 * limits the package's size, that space is available again (portals/package-totals.ts). A segment that held it is freed
 * later (segment-cleanup.ts): it may hold files that are received and not finalized yet.
 */
export const deleteFile: HandlersOf<'deleteFile'>['deleteFile'] = async ({ params }, context) => {
  const { db, caches, now } = context;
  await requireOwnOfTask(context, params.file_id);
  const result = await sql<{ id: string; kind: 'file' | 'directory' }>`
    with package as (
      select id from packages where id = ${params.package_id} and state = 'new' for share
    ), gone as (
      delete from files using package where files.id = ${params.file_id} and files.package_id = package.id returning files.id, files.kind, files.size, files.object_key
    ), counted as (
      update portal_sums set files = portal_sums.files - 1, bytes = portal_sums.bytes - coalesce(gone.size, 0)
      from gone where portal_sums.package_id = ${params.package_id} and gone.kind = 'file'
        and not exists (select from form_deliverables where form_deliverables.file_id = gone.id)
    ), freed as (
      insert into freed_objects (key, noted_at) select id::text, ${now()}::timestamptz from gone where kind = 'file'
    ), ${countRemoved('gone', 'object_key')}
    select id, kind from gone`.execute(db);
  const gone = result.rows[0];
  if (!gone) {
    await requireOpenForFiles(context, params.package_id);
    throw new ApiError('not_found', { resource: 'file' });
  }
  caches.uploads.delete(gone.id);
  if (gone.kind === 'file') await cleanUpObjects(context, [gone.id]);
};
