import { type IconikApi, type IconikRecord, noSense, objectsIn, textIn } from './api.ts';
import { isActive } from './collections.ts';
import type { StorageMethod } from './storage.ts';
import { nameOf, type UploadFile } from './upload-file.ts';

/** iconik's record of one file: an asset has formats, a format has file sets, a file set has files. */
export interface FileRecord {
  readonly asset: string;
  readonly file: string;
  readonly fileSet: string;
  readonly name: string;
  readonly directory: string;
  readonly size: number;
  /** `OPEN` while it is sent, `CLOSED` when it is whole. */
  readonly status: string;
  readonly modified: Date | null;
  readonly storage: string;
  /** Reads the bytes, and is a secret. Empty where iconik gives none. */
  readonly url: string;
}

/** A new file with the addresses that begin its upload. */
export interface NewFile {
  readonly file: string;
  readonly uploadUrl: string;
  readonly multipartUploadUrl: string;
}

export function fileIn(record: IconikRecord, asset: string): FileRecord {
  const size = Number(record['size']);
  if (!Number.isSafeInteger(size)) throw noSense();
  const modified = new Date(String(record['file_date_modified']));
  return {
    asset,
    file: textIn(record, 'id'),
    fileSet: String(record['file_set_id'] ?? ''),
    name: textIn(record, 'original_name'),
    directory: String(record['directory_path'] ?? ''),
    size,
    status: String(record['status']),
    modified: Number.isNaN(modified.getTime()) ? null : modified,
    storage: String(record['storage_id']).toLowerCase(),
    url: typeof record['url'] === 'string' ? record['url'] : '',
  };
}

const filesPath = (asset: string): string => `/files/v1/assets/${asset}`;

/** The file of an asset that is not in iconik's bin; null if there is none. Its address is a new one. */
export async function readFile(
  { find }: IconikApi,
  { asset, file }: { readonly asset: string; readonly file: string },
  signal: AbortSignal,
): Promise<FileRecord | null> {
  const owner = await find({ method: 'GET', path: `/assets/v1/assets/${asset}/` }, signal);
  if (!owner || !isActive(owner)) return null;
  const query = { content_disposition: 'attachment', bypass_url_cache: 'true' };
  const record = await find({ method: 'GET', path: `${filesPath(asset)}/files/${file}/`, query }, signal);
  return record && fileIn(record, asset);
}

/** The whole files that an asset has. */
export async function closedFiles({ find }: IconikApi, asset: string, signal: AbortSignal): Promise<readonly FileRecord[]> {
  const page = await find({ method: 'GET', path: `${filesPath(asset)}/files/`, query: { per_page: '100' } }, signal);
  const records = page ? objectsIn(page) : [];
  return records.filter(({ status, type }) => status === 'CLOSED' && type === 'FILE').map((one) => fileIn(one, asset));
}

/** Marks an asset as an upload's own: after a lost answer it is found by this. */
const markOf = ({ upload }: UploadFile): string => `longshore:${upload}`;

/** Makes the asset, which has no file yet, in its collection. Resolves to its id. */
export async function makeAsset({ json }: IconikApi, upload: UploadFile, signal: AbortSignal): Promise<string> {
  const { collection } = upload;
  const inCollection = String(collection !== null);
  const made = await json(
    {
      method: 'POST',
      path: '/assets/v1/assets/',
      query: { assign_to_collection: inCollection, apply_collection_acls: inCollection },
      body: {
        title: nameOf(upload),
        type: 'ASSET',
        external_id: markOf(upload),
        ...(collection !== null && { collection_id: collection }),
      },
    },
    signal,
  );
  return textIn(made, 'id');
}

/** The assets that this upload has made, also where no answer told their ids. */
export async function findAssets({ json }: IconikApi, upload: UploadFile, signal: AbortSignal): Promise<readonly string[]> {
  const value = markOf(upload);
  const answer = await json(
    {
      method: 'POST',
      path: '/search/v1/search/',
      query: { per_page: '100', save_search_history: 'false', generate_signed_url: 'false' },
      body: { doc_types: ['assets'], filter: { operator: 'AND', terms: [{ name: 'external_id', value }] } },
    },
    signal,
  );
  const found = objectsIn(answer).filter((one) => one['external_id'] === value && isActive(one));
  return found.map((one) => textIn(one, 'id'));
}

/** Makes format, file set and file of an asset, one after the other. */
export async function makeFile(
  { json }: IconikApi,
  upload: UploadFile,
  { asset, storage, method }: { readonly asset: string; readonly storage: string; readonly method: StorageMethod },
  signal: AbortSignal,
): Promise<NewFile> {
  const { directory, size, contentType, modified } = upload;
  const name = nameOf(upload);
  const post = (path: string, body: IconikRecord) => json({ method: 'POST', path: `${filesPath(asset)}${path}`, body }, signal);
  const format = textIn(
    await post('/formats/', { name: 'ORIGINAL', metadata: [{ internet_media_type: contentType }], storage_methods: [method] }),
    'id',
  );
  const placed = { format_id: format, storage_id: storage };
  const fileSet = textIn(await post('/file_sets/', { ...placed, name, base_dir: directory, component_ids: [] }), 'id');
  const made = await post('/files/', {
    ...placed,
    file_set_id: fileSet,
    original_name: name,
    directory_path: directory,
    type: 'FILE',
    size,
    file_date_modified: modified,
  });
  const address = (field: string): string => (typeof made[field] === 'string' ? made[field] : '');
  return { file: textIn(made, 'id'), uploadUrl: address('upload_url'), multipartUploadUrl: address('multipart_upload_url') };
}

/** Says that all bytes are there: from now on people see the file. */
export async function closeFile({ send }: IconikApi, file: FileRecord, signal: AbortSignal): Promise<void> {
  const path = `${filesPath(file.asset)}/files/${file.file}/`;
  const body = {
    status: 'CLOSED',
    size: file.size,
    original_name: file.name,
    directory_path: file.directory,
    file_set_id: file.fileSet,
    type: 'FILE',
  };
  await send({ method: 'PATCH', path, body }, signal);
}

/** Has iconik make its previews. It may refuse: the file is complete without them. */
export async function askForPreviews({ send }: IconikApi, { asset, file }: FileRecord, signal: AbortSignal): Promise<void> {
  const path = `${filesPath(asset)}/files/${file}/keyframes/`;
  await send({ method: 'POST', path, body: { use_storage_transcode_ignore_pattern: true } }, signal, [400, 403, 404]);
}

/** Removes an asset whose upload did not end, with the bytes it has: its file sets first, since only they have bytes. */
export async function dropAsset({ find, send }: IconikApi, asset: string, signal: AbortSignal): Promise<void> {
  const sets = await find({ method: 'GET', path: `${filesPath(asset)}/file_sets/` }, signal);
  for (const one of sets ? objectsIn(sets) : []) {
    await send({ method: 'DELETE', path: `${filesPath(asset)}/file_sets/${textIn(one, 'id')}/` }, signal, [404]);
  }
  await send({ method: 'DELETE', path: `/assets/v1/assets/${asset}/uploads/` }, signal, [404]);
}

/** Moves a complete asset into iconik's bin. */
export async function removeAsset({ send }: IconikApi, asset: string, signal: AbortSignal): Promise<void> {
  await send({ method: 'DELETE', path: `/assets/v1/assets/${asset}/` }, signal, [404]);
}
