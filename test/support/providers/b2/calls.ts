import { badRequest, checkBucket, checkInfo, checkName, checkPrefix, storageCap } from './rules.ts';
import { ApiError, type ApplicationKey, type FileVersion, type LargeFile, type World } from './world.ts';

type Body = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;
type Call = (world: World, key: ApplicationKey, body: Body, podUrl: string) => Answer;

const minimumPart = 5_000_000;

function integer(value: unknown, standard: number, most: number, name: string): number {
  if (value === undefined) return standard;
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > most) throw badRequest(`${name} must be between 1 and ${most}`);
  return Number(value);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const fileOf = (world: World, file: FileVersion | LargeFile): Answer => {
  const upload = 'bytes' in file && file.action === 'upload' ? file : null;
  return {
    accountId: world.accountId,
    action: 'bytes' in file ? file.action : 'start',
    bucketId: world.bucket.id,
    contentLength: upload?.bytes.length ?? 0,
    contentSha1: upload?.sha1 ?? (upload ? 'none' : null),
    contentType: file.contentType,
    fileId: file.fileId,
    fileInfo: file.info,
    fileName: file.fileName,
    uploadTimestamp: file.uploadTimestamp,
  };
};

function largeFile(world: World, fileId: unknown): LargeFile {
  const file = world.largeFiles.get(String(fileId));
  if (!file) throw badRequest(`No active upload for: ${String(fileId)}`);
  return file;
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

function listFileNames(world: World, key: ApplicationKey, body: Body): Answer {
  checkBucket(world, key, body['bucketId']);
  const [prefix, delimiter, start] = [text(body['prefix']), text(body['delimiter']), text(body['startFileName'])];
  checkPrefix(key, prefix);
  const count = integer(body['maxFileCount'], 100, 10_000, 'maxFileCount');
  const entries = new Map<string, Answer>();
  for (const name of [...world.files.keys()].sort(byBytes)) {
    const file = world.visible(name);
    if (!file || !name.startsWith(prefix)) continue;
    const end = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    const listed = end === -1 ? name : name.slice(0, end + delimiter.length);
    if (byBytes(listed, start) < 0 || entries.has(listed)) continue;
    const folder = { accountId: null, action: 'folder', bucketId: world.bucket.id, contentLength: 0, contentSha1: null, contentType: null };
    const isFolder = listed !== name || name.endsWith(delimiter || '\0');
    entries.set(listed, isFolder ? { ...folder, fileId: null, fileInfo: {}, fileName: listed, uploadTimestamp: 0 } : fileOf(world, file));
  }
  const all = [...entries];
  return { files: all.slice(0, count).map(([, entry]) => entry), nextFileName: all[count]?.[0] ?? null };
}

function listFileVersions(world: World, key: ApplicationKey, body: Body): Answer {
  checkBucket(world, key, body['bucketId']);
  const { startFileId } = body;
  const [prefix, start] = [text(body['prefix']), text(body['startFileName'])];
  checkPrefix(key, prefix);
  if (startFileId !== undefined && body['startFileName'] === undefined) throw badRequest('startFileName is required with startFileId');
  const count = integer(body['maxFileCount'], 100, 10_000, 'maxFileCount');
  const unfinished = [...world.largeFiles.values()];
  const names = new Set([...world.files.keys(), ...unfinished.map(({ fileName }) => fileName)]);
  const all = [...names]
    .filter((name) => name.startsWith(prefix) && byBytes(name, start) >= 0)
    .sort(byBytes)
    .flatMap((name) => [...unfinished.filter(({ fileName }) => fileName === name), ...(world.files.get(name) ?? [])]);
  const from =
    startFileId === undefined
      ? 0
      : Math.max(
          0,
          all.findIndex(({ fileId, fileName }) => fileName === start && fileId === startFileId),
        );
  const next = all[from + count];
  return {
    files: all.slice(from, from + count).map((file) => fileOf(world, file)),
    nextFileName: next?.fileName ?? null,
    nextFileId: next?.fileId ?? null,
  };
}

function finishLargeFile(world: World, key: ApplicationKey, { fileId, partSha1Array }: Body): Answer {
  const file = largeFile(world, fileId);
  checkPrefix(key, file.fileName);
  if (!Array.isArray(partSha1Array)) throw badRequest('partSha1Array must be an array');
  const numbers = [...file.parts.keys()].sort((one, other) => one - other);
  if (numbers.length < 2) throw badRequest('large files must have at least 2 parts');
  if (numbers.length !== partSha1Array.length || numbers.some((number, index) => number !== index + 1)) {
    throw new ApiError(400, 'missing_part', 'Part number has not been uploaded');
  }
  for (const number of numbers) {
    const { bytes, sha1 } = file.parts.get(number)!;
    if (partSha1Array[number - 1] !== sha1) throw new ApiError(400, 'part_sha1_mismatch', `SHA1 of part ${number} does not match`);
    if (number < numbers.length && bytes.length < minimumPart)
      throw badRequest(`Part number ${number} is smaller than ${minimumPart} bytes`);
  }
  world.largeFiles.delete(file.fileId);
  const bytes = Buffer.concat(numbers.map((number) => file.parts.get(number)!.bytes));
  const { fileName, contentType, info } = file;
  return fileOf(world, world.store({ fileId: file.fileId, fileName, action: 'upload', contentType, info, bytes, sha1: null }));
}

/** The calls that take and answer JSON; `fields` are all that each takes. */
export const calls: Readonly<Record<string, { readonly fields: readonly string[]; readonly run: Call }>> = {
  b2_list_buckets: {
    fields: ['accountId', 'bucketName', 'bucketId', 'bucketTypes'],
    run(world, key, { accountId, bucketName }) {
      if (accountId !== world.accountId) throw badRequest('accountId is not that of the token');
      const { id, name, options } = world.bucket;
      // A key of one bucket has to say which.
      if (key.buckets && (!key.buckets.includes(id) || bucketName !== name)) throw new ApiError(401, 'unauthorized', 'unauthorized');
      const found = bucketName === undefined || bucketName === name;
      return { buckets: found ? [{ accountId, bucketId: id, bucketName: name, bucketType: 'allPrivate', options }] : [] };
    },
  },
  b2_list_file_names: { fields: ['bucketId', 'startFileName', 'maxFileCount', 'prefix', 'delimiter'], run: listFileNames },
  b2_list_file_versions: {
    fields: ['bucketId', 'startFileName', 'startFileId', 'maxFileCount', 'prefix', 'delimiter'],
    run: listFileVersions,
  },
  b2_list_unfinished_large_files: {
    fields: ['bucketId', 'namePrefix', 'startFileId', 'maxFileCount'],
    run(world, key, body) {
      checkBucket(world, key, body['bucketId']);
      const prefix = text(body['namePrefix']);
      checkPrefix(key, prefix);
      const count = integer(body['maxFileCount'], 100, 100, 'maxFileCount');
      const all = [...world.largeFiles.values()]
        .filter(({ fileName, fileId }) => fileName.startsWith(prefix) && fileId >= text(body['startFileId']))
        .sort((one, other) => (one.fileId < other.fileId ? -1 : 1));
      return { files: all.slice(0, count).map((file) => fileOf(world, file)), nextFileId: all[count]?.fileId ?? null };
    },
  },
  b2_get_file_info: {
    fields: ['fileId'],
    run(world, key, { fileId }) {
      const unfinished = world.tellsUnfinished ? [...world.largeFiles.values()] : [];
      const found = [...unfinished, ...[...world.files.values()].flat()].find((file) => file.fileId === fileId);
      if (!found) throw new ApiError(404, 'not_found', `file_state_none`);
      checkPrefix(key, found.fileName);
      return fileOf(world, found);
    },
  },
  b2_get_upload_url: {
    fields: ['bucketId'],
    run(world, key, { bucketId }, podUrl) {
      checkBucket(world, key, bucketId);
      storageCap(world);
      const authorizationToken = world.newUploadToken(key, null);
      return { bucketId, uploadUrl: `${podUrl}/b2api/v4/b2_upload_file/${String(bucketId)}/c001_v0001007_t0042`, authorizationToken };
    },
  },
  b2_get_upload_part_url: {
    fields: ['fileId'],
    run(world, key, { fileId }, podUrl) {
      const file = largeFile(world, fileId);
      checkPrefix(key, file.fileName);
      storageCap(world);
      const authorizationToken = world.newUploadToken(key, file.fileId);
      return { fileId, uploadUrl: `${podUrl}/b2api/v4/b2_upload_part/${file.fileId}/0037`, authorizationToken };
    },
  },
  b2_start_large_file: {
    fields: ['bucketId', 'fileName', 'contentType', 'fileInfo'],
    run(world, key, { bucketId, fileName, contentType, fileInfo = {} }) {
      checkBucket(world, key, bucketId);
      checkName(fileName);
      checkPrefix(key, fileName);
      if (typeof contentType !== 'string' || contentType === '') throw badRequest('contentType is required');
      checkInfo(fileName, fileInfo);
      storageCap(world);
      const file = { fileId: world.newFileId(), fileName, contentType, info: fileInfo, uploadTimestamp: world.now(), parts: new Map() };
      world.largeFiles.set(file.fileId, file);
      return fileOf(world, file);
    },
  },
  b2_finish_large_file: { fields: ['fileId', 'partSha1Array'], run: finishLargeFile },
  b2_cancel_large_file: {
    fields: ['fileId'],
    run(world, key, { fileId }) {
      const file = largeFile(world, fileId);
      checkPrefix(key, file.fileName);
      world.largeFiles.delete(file.fileId);
      return { fileId, accountId: world.accountId, bucketId: world.bucket.id, fileName: file.fileName };
    },
  },
  b2_list_parts: {
    fields: ['fileId', 'startPartNumber', 'maxPartCount'],
    run(world, key, body) {
      const file = largeFile(world, body['fileId']);
      checkPrefix(key, file.fileName);
      const start = integer(body['startPartNumber'], 1, 10_000, 'startPartNumber');
      const count = integer(body['maxPartCount'], 100, 1000, 'maxPartCount');
      const numbers = [...file.parts.keys()].filter((number) => number >= start).sort((one, other) => one - other);
      const parts = numbers.slice(0, count).map((partNumber) => {
        const { bytes, sha1, uploadTimestamp } = file.parts.get(partNumber)!;
        return { fileId: file.fileId, partNumber, contentLength: bytes.length, contentSha1: sha1, uploadTimestamp };
      });
      return { parts, nextPartNumber: numbers[count] ?? null };
    },
  },
  b2_hide_file: {
    fields: ['bucketId', 'fileName'],
    run(world, key, { bucketId, fileName }) {
      checkBucket(world, key, bucketId);
      checkName(fileName);
      checkPrefix(key, fileName);
      const newest = world.files.get(fileName)?.[0];
      if (!newest) throw new ApiError(400, 'no_such_file', `File not present: ${fileName}`);
      if (newest.action === 'hide') throw new ApiError(400, 'already_hidden', `File already hidden: ${fileName}`);
      const hidden = { fileId: world.newFileId(), fileName, contentType: 'application/x-bz-hide-marker', info: {}, bytes: Buffer.alloc(0) };
      return fileOf(world, world.store({ ...hidden, action: 'hide', sha1: null }));
    },
  },
  b2_delete_file_version: {
    fields: ['fileName', 'fileId'],
    run(world, key, { fileName, fileId }) {
      checkPrefix(key, text(fileName));
      const versions = world.files.get(text(fileName)) ?? [];
      const left = versions.filter((version) => version.fileId !== fileId);
      if (left.length === versions.length)
        throw new ApiError(400, 'file_not_present', `File not present: ${text(fileName)} ${text(fileId)}`);
      if (left.length === 0) world.files.delete(text(fileName));
      else world.files.set(text(fileName), left);
      return { fileId, fileName };
    },
  },
};
