import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { HandlersOf, Services } from '../handler.ts';
import { JsonList } from '../http/json-list.ts';
import { checkAccessLimit } from '../links/access-limit.ts';
import { recordDownload } from '../links/downloads.ts';
import { managePackage, seePackage } from '../packages/access.ts';
import { requireNoQuarantine, requireUninfected, virusPolicy } from '../viruses/policy.ts';
import { zipRecords } from '../zips/virtual-files.ts';
import { requireWhole } from '../zips/whole.ts';
import {
  downloadedBy,
  downloadTarget,
  downloadUrl,
  isDamaged,
  linkColumns,
  linkIdOf,
  requireOpenLink,
  requireUndamaged,
  urlExpiry,
} from './download-url.ts';
import { fileFlags } from './file-flags.ts';
import { type FileRow, fileColumns, toFile } from './file-record.ts';
import { objectKeyOf } from './object-key.ts';
import { downloadForTask, isOfTask } from './task-access.ts';

/** For how long an address stands by which somebody looks at a file. */
const previewMilliseconds = 15 * 60_000;

/** From how many files on a package's list is sent while it is read. */
const leastByBatches = 1_000;
/** Of how many files and folders at most. More of them cost more to count than is gained. */
const recordsByBatches = 20_000;
const filesPerBatch = 250;
/** Bytes that agents take of an answer without a length, as one has that is sent so. */
const bytesWithoutLength = 64 * 1024 * 1024;
/** Bytes of a record beside its path and name. */
const otherBytesOfRecord = 512;

/** Of a finalized package: none of its records is added any more. A quotation mark or backslash takes two bytes in JSON. */
async function fitsWithoutLength(db: Services['db'], packageId: string): Promise<boolean> {
  const { records, bytes } = await db
    .selectFrom((from) =>
      from
        .selectFrom('files')
        .select(['path', 'name'])
        .where('package_id', '=', packageId)
        .limit(recordsByBatches + 1)
        .as('first'),
    )
    .select(({ fn }) => [fn.countAll<number>().as('records'), sql<number>`sum(octet_length(path) + octet_length(name))`.as('bytes')])
    .executeTakeFirstOrThrow();
  return Number(records) <= recordsByBatches && Number(bytes) * 2 + Number(records) * otherBytesOfRecord <= bytesWithoutLength;
}

export const readHandlers: HandlersOf<'listFiles' | 'downloadFile' | 'previewFile'> = {
  async listFiles({ params }, context) {
    const { db, storage } = context;
    const { row } = await seePackage(context, params.package_id);
    if (row.state === 'expired' || row.state === 'archived') throw new ApiError('package_expired');
    const { task } = context.credential;
    const flags = await fileFlags(db, params.package_id);
    const files = db
      .selectFrom('files')
      .select(fileColumns)
      .where('package_id', '=', params.package_id)
      .$if(task?.isFiltered ?? false, (select) => select.where(isOfTask(task!)))
      // Folder by folder. Text is compared by bytes, so that the order is the same under every locale.
      .orderBy('path', (order) => order.collate('C'))
      .orderBy('name', (order) => order.collate('C'));
    const recordOf = (file: FileRow): File => ({ ...toFile(file, storage.chunkChecksum), ...flags.get(file.id) });
    const zips = row.state === 'finalized' && !task ? zipRecords(row) : [];
    if (row.total_files < leastByBatches || row.total_files > recordsByBatches || !(await fitsWithoutLength(db, row.id)))
      return [...(await files.execute()).map(recordOf), ...zips];
    return new JsonList(
      (async function* () {
        for await (const { rows } of db.getExecutor().stream(files.compile(), filesPerBatch)) yield rows.map(recordOf);
        yield zips;
      })(),
    );
  },

  async downloadFile({ params, query }, context) {
    const { db, credential, now } = context;
    const packageId = params.package_id;
    if (credential.task) return await downloadForTask({ ...context, task: credential.task }, packageId, params.file_id, query.expiry);
    const linkId = linkIdOf(credential);
    const row = await db
      .selectFrom('links')
      .innerJoin('packages', 'packages.id', 'links.package_id')
      .leftJoin('files', (join) => join.onRef('files.package_id', '=', 'packages.id').on('files.id', '=', params.file_id))
      .select(['files.kind', 'files.name', 'files.object_key', 'files.virus_detected', isDamaged, ...linkColumns])
      .where('links.id', '=', linkId)
      .where('packages.id', '=', packageId)
      .executeTakeFirst();
    requireOpenLink(row, now());
    const { kind, name, object_key, virus_detected, damaged, packageName } = row;
    const file = kind === null || name === null ? undefined : { kind, name, object_key, virus_detected: virus_detected ?? false, damaged };
    const wanted = downloadTarget(packageId, row, params.file_id, file);
    if ('flavour' in wanted) await requireWhole(db, packageId);
    const expiresAt = urlExpiry(row, query.expiry, now());
    if (row.accessLimit > 0) await checkAccessLimit(context, linkId, credential.tokenId);
    await recordDownload(context, {
      packageId,
      linkId,
      tokenId: credential.tokenId,
      verified: credential.verified,
      what: downloadedBy([[params.file_id, wanted]]),
    });
    return await downloadUrl(context, { packageId, packageName, linkId }, wanted, expiresAt);
  },
  async previewFile({ params }, context) {
    const { db, storage, now } = context;
    const row = await managePackage(context, params.package_id);
    if (row.state === 'new') throw new ApiError('state_conflict', { detail: 'This package is not finalized yet.' });
    if (row.state !== 'finalized' || (row.expiry !== null && row.expiry <= now())) throw new ApiError('package_expired');
    const file = await db
      .selectFrom('files')
      .innerJoin('packages', 'packages.id', 'files.package_id')
      .select(['files.id', 'files.kind', 'files.name', 'files.object_key', 'files.virus_detected', isDamaged, virusPolicy])
      .where('files.package_id', '=', row.id)
      .where('files.id', '=', params.file_id)
      .executeTakeFirst();
    if (!file) throw new ApiError('not_found', { resource: 'file' });
    if (file.kind === 'directory') throw new ApiError('state_conflict', { detail: 'A folder has nothing to look at.' });
    requireNoQuarantine(file);
    requireUninfected(file, file.virus_detected);
    requireUndamaged(file);
    const expiresAt = new Date(Math.min(now().getTime() + previewMilliseconds, row.expiry?.getTime() ?? Number.POSITIVE_INFINITY));
    return await storage.presignRead(objectKeyOf(file), { expiresAt, fileName: file.name });
  },
};
