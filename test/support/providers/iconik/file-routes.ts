import { randomUUID } from 'node:crypto';
import { signedAddress } from './addresses.ts';
import { assetAt } from './asset-routes.ts';
import { type Call, checkBody, type Route, uuidIn } from './routes.ts';
import { type Branch, bytesAt, type FileEntry, IconikApiError, keyOf, removeBytes, type World } from './world.ts';

const statuses = ['OPEN', 'GROWING', 'AWAITED', 'CLOSED', 'FAILED', 'ARCHIVED', 'MISSING', 'REDISCOVERED', 'DELETED'];

const bucketOf = ({ storage }: World): 's3' | 'gcs' => (storage.method === 'GCS' ? 'gcs' : 's3');

function activeAsset(world: World, id: string): string {
  const asset = assetAt(world, id);
  if (asset.status !== 'ACTIVE') throw new IconikApiError(404, 'Asset does not exist');
  return asset.id;
}

function branchAt(map: ReadonlyMap<string, Branch>, id: string, asset: string): Branch {
  const branch = map.get(id);
  if (branch?.asset !== asset) throw new IconikApiError(400, 'It does not belong to this asset');
  return branch;
}

function fileAt({ world, ids: [asset, id] }: Call): FileEntry {
  const file = world.files.get(id!);
  if (!file || file.asset !== asset) throw new IconikApiError(404, "File for this asset doesn't exist");
  return file;
}

function storageNamed(world: World, id: string): void {
  if (id !== world.storage.id) throw new IconikApiError(404, "Storage doesn't exist");
}

const resourceOf = (file: FileEntry) => ({
  id: file.id,
  asset_id: file.asset,
  format_id: file.format,
  file_set_id: file.fileSet,
  storage_id: file.storage,
  original_name: file.name,
  name: file.name,
  directory_path: file.directory,
  type: 'FILE',
  size: file.size,
  status: file.status,
  file_date_modified: file.modified,
});

function makeFile(call: Call): readonly [number, unknown] {
  const { world, origin, body, ids } = call;
  const asset = activeAsset(world, ids[0]!);
  checkBody(
    body,
    ['original_name', 'directory_path', 'type', 'format_id', 'file_set_id', 'storage_id', 'size'],
    ['name', 'status', 'checksum', 'file_date_created', 'file_date_modified'],
  );
  if (!Number.isSafeInteger(body['size'])) throw new IconikApiError(400, 'size: Not a valid integer.');
  if (body['type'] !== 'FILE') throw new IconikApiError(400, 'type: Not a valid choice.');
  const format = branchAt(world.formats, uuidIn(body, 'format_id'), asset);
  const set = branchAt(world.fileSets, uuidIn(body, 'file_set_id'), asset);
  const storage = uuidIn(body, 'storage_id');
  storageNamed(world, storage);
  if (set.format !== format.id || set.storage !== storage) throw new IconikApiError(400, 'The file set is another one');
  const file: FileEntry = {
    id: randomUUID(),
    asset,
    format: format.id,
    fileSet: set.id,
    storage,
    name: String(body['original_name']),
    directory: String(body['directory_path']).replace(/\/$/, ''),
    modified: String(body['file_date_modified'] ?? world.now().toISOString()),
    size: Number(body['size']),
    status: 'OPEN',
  };
  if (Number.isNaN(Date.parse(file.modified))) throw new IconikApiError(400, 'file_date_modified: Not a valid datetime.');
  const key = keyOf(file);
  if ([...world.files.values()].some((other) => keyOf(other) === key)) throw new IconikApiError(400, 'There is a file at this path');
  if (Buffer.byteLength(key) > 1024) throw new IconikApiError(400, 'The path is too long');
  world.files.set(file.id, file);
  const bucket = bucketOf(world);
  const addresses =
    bucket === 'gcs'
      ? { upload_url: signedAddress(world, { origin, method: 'POST', bucket, key }) }
      : {
          upload_url: signedAddress(world, { origin, method: 'PUT', bucket, key }),
          multipart_upload_url: signedAddress(world, { origin, method: 'POST', bucket, key, query: { uploads: '' } }),
        };
  return [201, { ...resourceOf(file), storage_method: world.storage.method, ...addresses }];
}

/** Formats, file sets and files of an asset, and the addresses of their bytes. */
export const fileRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/files\/v1\/storages\/([^/]+)\/$/,
    role: 'can_read_storages',
    answer: ({ world, ids: [id] }) => {
      storageNamed(world, id!);
      const { method, purpose, status } = world.storage;
      return [200, { id, name: 'Dailies', method, purpose, status, settings: {}, default: false }];
    },
  },
  {
    method: 'GET',
    path: /^\/files\/v1\/storages\/([^/]+)\/verifications\/permissions\/$/,
    role: 'can_read_storages',
    answer: ({ world, ids: [id] }) => {
      storageNamed(world, id!);
      const { read, write, delete: remove } = world.storage.access;
      return [200, { cors: true, read_access: read, write_access: write, delete_access: remove }];
    },
  },
  {
    method: 'POST',
    path: /^\/files\/v1\/assets\/([^/]+)\/formats\/$/,
    role: 'can_write_formats',
    answer: ({ world, body, ids: [id] }) => {
      const asset = activeAsset(world, id!);
      checkBody(body, ['name'], ['metadata', 'storage_methods', 'components', 'user_id', 'is_online', 'status', 'version_id']);
      if (!Array.isArray(body['metadata'] ?? [])) throw new IconikApiError(400, 'metadata: Not a valid list.');
      const format = { id: randomUUID(), asset, format: null, storage: null };
      world.formats.set(format.id, format);
      return [201, { id: format.id, asset_id: asset, name: body['name'], status: 'ACTIVE' }];
    },
  },
  {
    method: 'POST',
    path: /^\/files\/v1\/assets\/([^/]+)\/file_sets\/$/,
    role: 'can_write_files',
    answer: ({ world, body, ids: [id] }) => {
      const asset = activeAsset(world, id!);
      checkBody(body, ['name', 'base_dir', 'component_ids', 'format_id'], ['storage_id', 'status', 'version_id']);
      const format = branchAt(world.formats, uuidIn(body, 'format_id'), asset).id;
      const storage = uuidIn(body, 'storage_id');
      storageNamed(world, storage);
      const set = { id: randomUUID(), asset, format, storage };
      world.fileSets.set(set.id, set);
      return [201, { id: set.id, asset_id: asset, format_id: format, storage_id: storage, status: 'ACTIVE' }];
    },
  },
  {
    method: 'GET',
    path: /^\/files\/v1\/assets\/([^/]+)\/file_sets\/$/,
    role: 'can_read_files',
    answer: ({ world, ids: [id] }) => {
      const { id: asset } = assetAt(world, id!);
      return [200, { objects: [...world.fileSets.values()].filter((set) => set.asset === asset).map((set) => ({ id: set.id })) }];
    },
  },
  {
    method: 'DELETE',
    path: /^\/files\/v1\/assets\/([^/]+)\/file_sets\/([^/]+)\/$/,
    role: 'can_delete_files',
    answer: ({ world, ids: [asset, id] }) => {
      const set = world.fileSets.get(id!);
      if (set?.asset !== asset) throw new IconikApiError(404, "File set for this asset doesn't exist");
      for (const file of [...world.files.values()].filter(({ fileSet }) => fileSet === id)) {
        removeBytes(world, keyOf(file));
        world.files.delete(file.id);
      }
      world.fileSets.delete(id!);
      return [204, null];
    },
  },
  { method: 'POST', path: /^\/files\/v1\/assets\/([^/]+)\/files\/$/, role: 'can_write_files', answer: makeFile },
  {
    method: 'GET',
    path: /^\/files\/v1\/assets\/([^/]+)\/files\/$/,
    role: 'can_read_files',
    answer: ({ world, ids: [id] }) => {
      const { id: asset } = assetAt(world, id!);
      const files = [...world.files.values()].filter((file) => file.asset === asset);
      if (files.length === 0) throw new IconikApiError(404, "Files for this asset don't exist");
      return [200, { objects: files.map(resourceOf) }];
    },
  },
  {
    method: 'GET',
    path: /^\/files\/v1\/assets\/([^/]+)\/files\/([^/]+)\/$/,
    role: 'can_read_files',
    answer: (call) => {
      const { world, origin, query } = call;
      const file = fileAt(call);
      if (file.status !== 'CLOSED' && !world.readsOpenFiles) return [200, resourceOf(file)];
      const url = signedAddress(world, { origin, method: 'GET', bucket: bucketOf(world), key: keyOf(file) });
      // An address from the cache may be over.
      return [200, { ...resourceOf(file), url: query.get('bypass_url_cache') === 'true' ? url : `${url}0` }];
    },
  },
  {
    method: 'PATCH',
    path: /^\/files\/v1\/assets\/([^/]+)\/files\/([^/]+)\/$/,
    role: 'can_write_files',
    answer: (call) => {
      const { world, body } = call;
      const file = fileAt(call);
      checkBody(body, ['original_name', 'directory_path', 'file_set_id', 'type'], ['status', 'size', 'checksum', 'name']);
      const status = String(body['status'] ?? file.status);
      if (!statuses.includes(status)) throw new IconikApiError(400, 'status: Not a valid choice.');
      if (status === 'CLOSED' && bytesAt(world, keyOf(file))?.length !== file.size)
        throw new IconikApiError(400, 'The file is not whole in its bucket');
      file.status = status;
      return [200, resourceOf(file)];
    },
  },
  {
    method: 'POST',
    path: /^\/files\/v1\/assets\/([^/]+)\/files\/([^/]+)\/keyframes\/$/,
    role: 'can_create_transcode_jobs',
    answer: (call) => {
      const file = fileAt(call);
      checkBody(call.body, [], ['priority', 'set_as_custom_keyframe', 'update_proxy_mediainfo', 'use_storage_transcode_ignore_pattern']);
      if (file.status !== 'CLOSED') throw new IconikApiError(400, 'The file is not closed');
      call.world.previews.push(file.id);
      return [200, { job_id: randomUUID() }];
    },
  },
  {
    method: 'GET',
    path: /^\/files\/v1\/assets\/([^/]+)\/files\/([^/]+)\/multipart_url\/$/,
    role: 'can_write_files',
    answer: (call) => {
      const { world, origin, query } = call;
      const key = keyOf(fileAt(call));
      const id = query.get('upload_id') ?? '';
      if (id === '') throw new IconikApiError(400, 'upload_id: Missing data for required field.');
      const type = query.get('type');
      const address = (method: string, more: Readonly<Record<string, string>> = {}) =>
        signedAddress(world, { origin, method, bucket: 's3', key, query: { uploadId: id, ...more } });
      if (type === 'complete_url') return [200, { complete_url: address('POST') }];
      if (type === 'abort_url') return [200, { abort_url: address('DELETE') }];
      if (type !== 'list_parts_url') throw new IconikApiError(400, 'type: Not a valid choice.');
      const pages = Math.ceil(Number(query.get('max_part_number') ?? '1') / world.partsOfPage);
      const markers = Array.from({ length: pages }, (_, page) => String(page * world.partsOfPage));
      return [200, { list_parts_url: markers.map((marker) => address('GET', { 'part-number-marker': marker })) }];
    },
  },
  {
    method: 'POST',
    path: /^\/files\/v1\/assets\/([^/]+)\/files\/([^/]+)\/multipart_url\/s3\/part\/$/,
    role: 'can_write_files',
    answer: (call) => {
      const { world, origin, body } = call;
      const key = keyOf(fileAt(call));
      checkBody(body, ['upload_id', 'parts'], []);
      const parts = (body['parts'] as { part_number?: unknown }[]).map(({ part_number: number }) => {
        if (!Number.isInteger(number) || Number(number) < 1 || Number(number) > 10_000)
          throw new IconikApiError(400, 'part_number: Must be between 1 and 10000.');
        const query = { uploadId: String(body['upload_id']), partNumber: String(number) };
        return { part_number: number, url: signedAddress(world, { origin, method: 'PUT', bucket: 's3', key, query }) };
      });
      return [200, { upload_id: body['upload_id'], parts }];
    },
  },
];
