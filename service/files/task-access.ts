import { type SqlBool, sql } from 'kysely';
import { ApiError, errorCatalogue } from '#protocol/errors.ts';
import type { BatchDownload } from '#protocol/hosted/file-batches.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { Task } from '../credentials/credential-cache.ts';
import { plainArray } from '../database/arrays.ts';
import type { Context } from '../handler.ts';
import { toFailure } from '../http/failures.ts';
import { isId } from '../ids.ts';
import { infectedFile, requireNoQuarantine, virusPolicy } from '../viruses/policy.ts';
import { downloadExpiry, parseDateTime } from '../wire-times.ts';
import { isDamaged } from './download-url.ts';
import { objectKeyOf } from './object-key.ts';

/** What the tokens in a storage gateway's tasks may do with files: contract/gateways.md §4. */

type Reading = Pick<Context, 'db' | 'storage' | 'now' | 'log'> & { readonly task: Task };

/** Whether the current row of `files` is delivered by a task that has a filter. */
export const isOfTask = ({ transferId }: Task) => sql<SqlBool>`exists (
  select from cloud_transfer_files where cloud_transfer_files.transfer_id = ${transferId} and cloud_transfer_files.file_id = files.id)`;

/** Errors: `not_found` for what the task does not deliver, `package_expired` once the package is freed, `state_conflict`. */
export async function downloadForTask(context: Reading, packageId: string, fileId: string, expiry: string | undefined) {
  const { files } = await downloadManyForTask(context, packageId, { file_ids: [fileId], ...(expiry !== undefined && { expiry }) });
  const [only] = files;
  if (only && 'url' in only) return { method: 'GET' as const, url: only.url! };
  if (only?.error?.code === errorCatalogue.file_infected.code) throw infectedFile();
  if (only?.error?.code === errorCatalogue.file_damaged.code) throw new ApiError('file_damaged');
  const file = isId(fileId)
    ? await context.db.selectFrom('files').select('kind').where('id', '=', fileId).where('package_id', '=', packageId).executeTakeFirst()
    : undefined;
  if (file?.kind === 'directory') throw isFolder();
  throw new ApiError('not_found', { resource: 'file' });
}

/** A package that has expired is kept for its transfers, so only its state counts. */
export async function downloadManyForTask(
  { db, storage, now, log, task }: Reading,
  packageId: string,
  { file_ids: ids, expiry }: { readonly file_ids: readonly string[]; readonly expiry?: string },
): Promise<{ files: BatchDownload[] }> {
  const owner = await db.selectFrom('packages').select(['state', virusPolicy]).where('id', '=', packageId).executeTakeFirst();
  if (owner?.state !== 'finalized') throw new ApiError('package_expired');
  requireNoQuarantine(owner);
  const expiresAt = downloadExpiry(parseDateTime(expiry, 'expiry'), null, now());
  if (!expiresAt) throw new ApiError('invalid_request', { detail: 'expiry: this moment has passed already.' });
  const rows = await db
    .selectFrom('files')
    .select(['id', 'kind', 'name', 'object_key', 'virus_detected', isDamaged])
    .where(sql<SqlBool>`id = any(${plainArray(ids.filter(isId))}::uuid[])`)
    .where('package_id', '=', packageId)
    .$if(task.isFiltered, (select) => select.where(isOfTask(task)))
    .execute();
  const known = new Map(rows.map((row) => [row.id, row]));
  const files = ids.map(async (file_id): Promise<BatchDownload> => {
    const file = known.get(file_id);
    if (!file) return { file_id, error: toFailure(new ApiError('not_found', { resource: 'file' }), log).body };
    if (file.kind === 'directory') return { file_id, error: toFailure(isFolder(), log).body };
    if (file.virus_detected && owner.virusPolicy === 'block') return { file_id, error: toFailure(infectedFile(), log).body };
    if (file.damaged) return { file_id, error: toFailure(new ApiError('file_damaged'), log).body };
    return { file_id, ...(await storage.presignRead(objectKeyOf(file), { expiresAt, fileName: file.name })) };
  });
  return { files: await Promise.all(files) };
}

const isFolder = (): ApiError => new ApiError('state_conflict', { detail: 'A folder has nothing to download.' });

type Writing = Pick<Context, 'db'> & { readonly credential: CredentialOf<'package:write' | 'package:manage'> };

/**
 * Keeps which files a task adds, before they are there: what it leaves unfinished can be removed then. Errors:
 * `credential_invalid` once the task is over, also where another process still remembers it.
 */
export async function noteForTask({ db, credential }: Writing, fileIds: readonly string[]): Promise<void> {
  const { task } = credential;
  if (!task || fileIds.length === 0) return;
  const { rows } = await sql`
    with held as (
      select id from cloud_transfers
      where id = ${task.transferId} and lease_id = ${task.taskId} and state in ('pending', 'started') for share
    ), noted as (
      insert into gateway_files (transfer_id, file_id)
      select held.id, file_id from held, unnest(${plainArray(fileIds)}::uuid[]) as file_id
    )
    select from held`.execute(db);
  if (rows.length === 0) throw new ApiError('credential_invalid', { header: 'X-Package-Token' });
}

/** A task removes what it has added itself. Errors: `not_allowed`. */
export async function requireOwnOfTask({ db, credential }: Writing, fileId: string): Promise<void> {
  const { task } = credential;
  if (!task) return;
  const own = await db
    .selectFrom('gateway_files')
    .select('file_id')
    .where('transfer_id', '=', task.transferId)
    .where('file_id', '=', fileId)
    .executeTakeFirst();
  if (!own) throw new ApiError('not_allowed', { detail: 'A task removes only files that it has added itself.' });
}
