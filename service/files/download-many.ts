import { sql } from 'kysely';
import type { BatchDownload } from '#protocol/hosted/file-batches.ts';
import { smallFileSize } from '#protocol/limits.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { toFailure } from '../http/failures.ts';
import { isId } from '../ids.ts';
import { checkAccessLimit } from '../links/access-limit.ts';
import { recordDownload } from '../links/downloads.ts';
import {
  type DownloadTarget,
  downloadedBy,
  downloadTarget,
  downloadUrl,
  isDamaged,
  linkColumns,
  linkIdOf,
  requireOpenLink,
  urlExpiry,
} from './download-url.ts';
import { downloadManyForTask } from './task-access.ts';

/**
 * The addresses of a batch of files (docs/decisions/0033). Each result is the same as from its own call: one refused
 * file does not affect the others. Only the link's own state, which concerns all files, refuses the whole call. A
 * link with a limit counts its token once, as for single calls, and only if there is something to download.
 */
export const downloadFiles: HandlersOf<'downloadFiles'>['downloadFiles'] = async ({ params, body }, context) => {
  const { db, credential, now, log } = context;
  const packageId = params.package_id;
  if (credential.task) return await downloadManyForTask({ ...context, task: credential.task }, packageId, body);
  const linkId = linkIdOf(credential);
  const link = await db
    .selectFrom('links')
    .innerJoin('packages', 'packages.id', 'links.package_id')
    .select(linkColumns)
    .where('links.id', '=', linkId)
    .where('packages.id', '=', packageId)
    .executeTakeFirst();
  requireOpenLink(link, now());
  const expiresAt = urlExpiry(link, body.expiry, now());

  const files = await filesOf(context, packageId, body.file_ids);
  const answers: BatchDownload[] = [];
  const there: { readonly index: number; readonly wanted: DownloadTarget }[] = [];
  const refuse = (index: number, error: unknown): void => {
    answers[index] = { file_id: body.file_ids[index]!, error: toFailure(error, log).body };
  };
  for (const [index, fileId] of body.file_ids.entries()) {
    try {
      there.push({ index, wanted: downloadTarget(packageId, link, fileId, files.get(fileId)) });
    } catch (error) {
      refuse(index, error);
    }
  }
  try {
    if (there.length > 0 && link.accessLimit > 0) await checkAccessLimit(context, linkId, credential.tokenId);
  } catch (error) {
    for (const { index } of there) refuse(index, error);
    return { files: answers };
  }
  if (there.length > 0) {
    const what = downloadedBy(there.map(({ index, wanted }) => [body.file_ids[index]!, wanted]));
    await recordDownload(context, { packageId, linkId, tokenId: credential.tokenId, verified: credential.verified, what });
  }
  const opened = { packageId, packageName: link.packageName, linkId };
  const shared = body.one_address ? there.filter(({ index }) => isSmall(files.get(body.file_ids[index]!))) : [];
  const one = await oneAddress(context, shared, expiresAt);
  for (const { index, wanted } of there) {
    const object = one?.objects.get(index);
    if (object !== undefined) {
      answers[index] = { file_id: body.file_ids[index]!, object };
      continue;
    }
    answers[index] = { file_id: body.file_ids[index]!, ...(await downloadUrl(context, opened, wanted, expiresAt)) };
  }
  return { files: answers, ...(one && { objects_url: one.url }) };
};

const isSmall = (file: { readonly size: string | number | null } | undefined): boolean =>
  file !== undefined && file.size !== null && Number(file.size) <= smallFileSize;

/** One address for these files, and the key of each by its place; `null` where the storage has none, or nothing is to share it. */
async function oneAddress(
  { storage }: Pick<Context, 'storage'>,
  shared: readonly { readonly index: number; readonly wanted: DownloadTarget }[],
  expiresAt: Date,
): Promise<{ readonly url: string; readonly objects: ReadonlyMap<number, string> } | null> {
  const objects = new Map<number, string>();
  for (const { index, wanted } of shared) if ('key' in wanted) objects.set(index, wanted.key);
  if (objects.size === 0 || !storage.presignReadBatch) return null;
  return { url: await storage.presignReadBatch([...objects.values()], expiresAt), objects };
}

/** The requested files that exist in the package, by one statement. */
async function filesOf({ db }: Pick<Context, 'db'>, packageId: string, ids: readonly string[]) {
  const known = ids.filter(isId);
  if (known.length === 0)
    return new Map<
      string,
      { kind: string; name: string; object_key: string | null; size: string | null; virus_detected: boolean; damaged: boolean }
    >();
  const rows = await db
    .selectFrom('files')
    .select(['id', 'kind', 'name', 'object_key', 'size', 'virus_detected', isDamaged])
    .where(sql<boolean>`id = any(${known}::uuid[])`)
    .where('package_id', '=', packageId)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
