import { ApiError } from '#protocol/errors.ts';
import type { HandlersOf } from '../handler.ts';
import { admitDownload } from '../links/admission.ts';
import { endOf, standing } from '../links/states.ts';
import { momentFrom } from '../moments.ts';
import { seePackage } from '../packages/access.ts';
import { presignZip, zipOf, zipRecords } from '../zips/offer.ts';
import { downloadExpiry } from './download-expiry.ts';
import { fileColumns, toFile } from './wire.ts';

export const readHandlers: HandlersOf<'listFiles' | 'downloadFile'> = {
  async listFiles({ params }, context) {
    const { db, storage } = context;
    const { row } = await seePackage(context, params.package_id);
    if (row.state === 'expired' || row.state === 'archived') throw new ApiError('package_expired');
    const files = await db
      .selectFrom('files')
      .select(fileColumns)
      .where('package_id', '=', params.package_id)
      // Folder by folder. Text is compared by bytes, so that the order is the same under every locale.
      .orderBy('path', (order) => order.collate('C'))
      .orderBy('name', (order) => order.collate('C'))
      .execute();
    const records = files.map((file) => toFile(file, storage.chunkChecksum));
    return row.state === 'finalized' ? [...records, ...zipRecords(row)] : records;
  },

  async downloadFile({ params, query }, context) {
    const { db, storage, credential, now } = context;
    if (credential.linkId === null) {
      throw new ApiError('not_allowed', { detail: 'This token reads the package. To download, open one of its links.' });
    }
    const row = await db
      .selectFrom('links')
      .innerJoin('packages', 'packages.id', 'links.package_id')
      .leftJoin('files', (join) => join.onRef('files.package_id', '=', 'packages.id').on('files.id', '=', params.file_id))
      .select([
        'files.kind',
        'files.name',
        'packages.name as packageName',
        'packages.state as packageState',
        'packages.expiry as packageExpiry',
        'links.disabled_at as disabledAt',
        'links.expiry as linkExpiry',
        'links.access_limit as accessLimit',
      ])
      .where('links.id', '=', credential.linkId)
      .where('packages.id', '=', params.package_id)
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found', { resource: 'package' });
    const link = standing(row, now());
    if (!link.open) throw new ApiError(link.error, link.details);
    const flavour = zipOf(params.package_id, params.file_id);
    if (row.name === null && flavour === null) throw new ApiError('not_found', { resource: 'file' });
    if (row.kind === 'directory') throw new ApiError('state_conflict', { detail: 'A folder has nothing to download.' });
    const expiresAt = downloadExpiry(momentFrom(query.expiry, 'expiry'), endOf(row), now());
    if (!expiresAt) throw new ApiError('invalid_request', { detail: 'expiry: this moment has passed already.' });
    if (row.accessLimit > 0) await admitDownload(context, credential.linkId, credential.tokenId);
    if (row.name !== null) return await storage.presignRead(params.file_id, { expiresAt, fileName: row.name });
    const { linkId } = credential;
    return await presignZip(context, { packageId: params.package_id, packageName: row.packageName, flavour: flavour!, linkId }, expiresAt);
  },
};
