import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Blueprint, BlueprintTemplate, Bytes, DateTime, Id, Literals } from '../schema.ts';
import { ChunkSize, PackageParams } from './packages.ts';
import { quotaErrors } from './quotas.ts';

/** Files of a package: contract/files-and-blueprints.md §1. */

const etag = 'b3-af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262';
const digest = 'blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262';

export const ChunkChecksum = Literals(['blake3', 'md5', 'none'], {
  description: "What a chunk's etag is: `b3-<64 hex>` of BLAKE3, the MD5 in hex, or no digest of the bytes.",
});
export type ChunkChecksum = Static<typeof ChunkChecksum>;

export const File = Type.Object(
  {
    id: Id,
    kind: Literals(['file', 'directory', 'zip_windows', 'zip_mac']),
    name: Type.String({ examples: ['A001C001.mov'] }),
    path: Type.String({ description: 'The folder inside the package that holds the file, with `/`; empty for the root.' }),
    last_modified: DateTime,
    size: Type.Optional(Bytes),
    chunk_size: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes.', examples: [limits.defaultChunkSize] })),
    chunk_checksum: Type.Optional(ChunkChecksum),
    state: Type.Optional(Literals(['new', 'finalized'], { examples: ['finalized'] })),
    etag: Type.Optional(Type.String({ examples: [etag] })),
    digest: Type.Optional(
      Type.String({ description: '`blake3:<hex>` over the concatenated BLAKE3 digests of the chunks.', examples: [digest] }),
    ),
    virus_detected: Type.Boolean(),
    damaged: Type.Optional(
      Type.Literal(true, { description: 'A check has found that the storage has not what was sent: it is not given out.' }),
    ),
    not_scanned: Type.Optional(
      Literals(['too_large', 'unreadable', 'refused'], {
        description: 'Why nothing is known of viruses in it. Absent where it was scanned, is still to be, or nothing scans.',
      }),
    ),
  },
  { title: 'File' },
);
export type File = Static<typeof File>;

export const CreateFile = Type.Object({
  kind: Literals(['file', 'directory']),
  name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
  path: Type.String({ maxLength: limits.pathLength }),
  last_modified: DateTime,
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.maxFileSize })),
  chunk_size: Type.Optional(ChunkSize),
});

const FileParams = Type.Object({ package_id: Id, file_id: Id });

export const FinalizeFile = Type.Object({
  chunk_extras: Type.Array(
    Type.Object({
      part_number: Type.String({ pattern: '^[1-9][0-9]{0,4}$', description: 'One-based, in decimal.', examples: ['1'] }),
      etag: Type.String({ minLength: 1, maxLength: 256 }),
    }),
    { minItems: 1, maxItems: limits.maxChunkCount },
  ),
  file_extras: Type.Object({
    upload_id: Type.String({ minLength: 1, maxLength: 1_024 }),
    digest: Type.Optional(
      Type.String({
        pattern: '^blake3:[0-9a-f]{64}$',
        description: "BLAKE3 over the concatenated binary BLAKE3 digests of the file's chunks of `chunk_size` bytes.",
        examples: [digest],
      }),
    ),
  }),
  size: Type.Integer({ minimum: 0, maximum: limits.maxFileSize }),
  chunk_size: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.maxChunkSize })),
});

/** Who may add files to a package. */
export const uploaders = ['package:write', 'package:manage'] as const;

/** Where a file's bytes are read. */
const FileAddress = Type.Object({
  method: Literals(['GET']),
  url: Type.String({ examples: ['https://storage.example.com/objects/019aa1b2?signature=…'] }),
});

export const fileRoutes = defineRoutes({
  createFile: {
    method: 'POST',
    path: '/v1/packages/{package_id}/files',
    summary: 'Adds a file to a package and returns the request that begins its upload at the storage.',
    tag: 'Files',
    credentials: uploaders,
    params: PackageParams,
    body: CreateFile,
    reply: { status: 201, body: Type.Object({ create_blueprint: Type.Union([Blueprint, Type.Null()]), file: File }) },
    errors: ['not_found', 'package_expired', 'state_conflict', 'already_exists', 'over_limit', ...quotaErrors],
    example: { kind: 'file', name: 'A001C001.mov', path: 'camera-a', last_modified: '2026-11-20T18:04:11.000Z', size: 734003200 },
  },
  createChunkBlueprints: {
    method: 'POST',
    path: '/v1/packages/{package_id}/files/{file_id}',
    summary: 'Returns the requests that upload the chunks `start` to `start + count - 1`, in order.',
    tag: 'Files',
    credentials: uploaders,
    params: FileParams,
    query: Type.Object({
      start: Type.Integer({ minimum: 0, maximum: limits.maxChunkCount - 1 }),
      count: Type.Integer({ minimum: 1, maximum: limits.blueprintsPerCall }),
      template: Type.Optional(
        Type.Boolean({
          description: 'Whether one `BlueprintTemplate` may be answered for all of them. Some storages have none, and answer the list.',
        }),
      ),
    }),
    body: Type.Object({ upload_id: Type.String({ minLength: 1, maxLength: 1_024 }) }),
    reply: { status: 200, body: Type.Union([Type.Array(Blueprint), BlueprintTemplate]) },
    errors: ['not_found', 'no_such_upload', 'state_conflict'],
    example: { upload_id: '01JDABC…' },
  },
  listUploadedChunks: {
    method: 'GET',
    path: '/v1/packages/{package_id}/files/{file_id}/chunks',
    summary: 'What the storage has confirmed of an unfinished upload, so that a sender that died need not send it again.',
    tag: 'Files',
    credentials: uploaders,
    params: FileParams,
    query: Type.Object({ upload_id: Type.String({ minLength: 1, maxLength: 1_024 }) }),
    reply: {
      status: 200,
      body: Type.Array(
        Type.Object({
          part_number: Type.String({ examples: ['1'] }),
          etag: Type.String({ examples: [etag] }),
          size: { ...Bytes, examples: [limits.defaultChunkSize] },
        }),
      ),
    },
    errors: ['not_found', 'no_such_upload', 'state_conflict'],
  },
  finalizeFile: {
    method: 'POST',
    path: '/v1/packages/{package_id}/files/{file_id}/finalize',
    summary: 'Checks every chunk and puts the file together. Asking again with the same content is 204 again.',
    tag: 'Files',
    credentials: uploaders,
    params: FileParams,
    body: FinalizeFile,
    reply: { status: 204 },
    errors: ['not_found', 'no_such_upload', 'state_conflict', 'chunk_wrong', 'digest_wrong', 'team_storage_full', 'portal_storage_full'],
    example: {
      chunk_extras: [{ part_number: '1', etag }],
      file_extras: { upload_id: '01JDABC…' },
      size: 734003200,
      chunk_size: 104857600,
    },
  },
  deleteFile: {
    method: 'DELETE',
    path: '/v1/packages/{package_id}/files/{file_id}',
    summary: 'Removes a file from a package that is not finalized yet.',
    tag: 'Files',
    credentials: uploaders,
    params: FileParams,
    reply: { status: 204 },
    errors: ['not_found', 'package_expired', 'state_conflict'],
  },
  listFiles: {
    method: 'GET',
    path: '/v1/packages/{package_id}/files',
    summary: 'Lists the files of a package; of a finalized one, the two zips too.',
    tag: 'Files',
    credentials: ['package:write', 'package:read', 'package:manage'],
    params: PackageParams,
    reply: { status: 200, body: Type.Array(File) },
    errors: ['not_found', 'not_allowed', 'package_expired', 'link_expired', 'link_inactive'],
  },
  downloadFile: {
    method: 'GET',
    path: '/v1/packages/{package_id}/files/{file_id}/download',
    summary:
      'Returns the address that a file is downloaded from. It stands for an hour unless `expiry` asks otherwise, also when its link is deleted meanwhile; deleting the package ends it.',
    tag: 'Files',
    credentials: ['package:read'],
    params: FileParams,
    query: Type.Object({ expiry: Type.Optional(DateTime) }),
    reply: {
      status: 200,
      body: FileAddress,
    },
    errors: [
      'not_found',
      'not_allowed',
      'state_conflict',
      'package_expired',
      'link_expired',
      'link_inactive',
      'package_quarantined',
      'file_infected',
      'file_damaged',
      'zip_damaged',
      'link_used_up',
    ],
  },
  previewFile: {
    method: 'GET',
    path: '/v1/packages/{package_id}/files/{file_id}/preview',
    summary: 'Returns an address by which whoever manages a finalized package looks at one of its files, for a few minutes.',
    tag: 'Files',
    credentials: ['package:manage'],
    params: FileParams,
    reply: { status: 200, body: FileAddress },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'state_conflict', 'package_expired', 'file_damaged'],
  },
  packageSpec: {
    method: 'GET',
    path: '/v1/system/packages/spec',
    summary: 'The limits of chunks, and how many files one batch call takes.',
    tag: 'System',
    credentials: ['none'],
    reply: {
      status: 200,
      body: Type.Object({
        max_chunk_count: Type.Integer({ examples: [limits.maxChunkCount] }),
        max_chunk_size: Type.Integer({
          description: 'Bytes: of what the storage takes, and of what stands before it.',
          examples: [limits.maxChunkSize],
        }),
        min_chunk_size: Type.Integer({ description: 'Bytes.', examples: [limits.minChunkSize] }),
        storage_max_body: Type.Optional(
          Type.Integer({
            description: 'Bytes of the largest body that what stands before the storage lets through, where its operator has said so.',
            examples: [100_000_000],
          }),
        ),
        max_batch_files: Type.Optional(
          Type.Integer({
            description: 'How many files `/files/batch` takes in one call. A service without it has no batch calls.',
            examples: [limits.filesPerBatch],
          }),
        ),
        max_batch_records: Type.Optional(
          Type.Integer({
            description:
              'How many files `/files/batch/record` takes in one call. A service without it, or whose storage cannot, has neither this call nor `/files/batch/blueprints`.',
            examples: [limits.filesPerBatch],
          }),
        ),
        many_parts_url: Type.Optional(
          Type.String({
            description:
              'Where one POST sends the bytes of many small files, with `?for=` and the (encoded) path and query of the first `put_blueprint`: a line of JSON, `[{ "target", "length" }]` with the path and query of each ' +
              '`put_blueprint`, then the bytes, at most 1,000 files of 1 MiB and 17 MiB in all; it answers `{ "parts": [{ "etag" }] }`. ' +
              'A storage without it takes them one by one.',
            examples: ['https://files.example.com/storage/-/parts'],
          }),
        ),
        max_batch_downloads: Type.Optional(
          Type.Integer({
            description: 'How many files `/files/batch/download` takes in one call. A service without it has no such call.',
            examples: [limits.filesPerBatch],
          }),
        ),
        many_objects_url: Type.Optional(
          Type.String({
            description:
              'Where one POST fetches the bytes of many small files, with `?for=` and the (encoded) path and query of the first `url`: its body is a JSON array with the path and query of each `url`, ' +
              'at most 1,000 of them; the answer is a line of JSON, `[{ "length" }]` or of one that is refused `{ "status", "code", "message" }`, then the bytes one after the other, of files of at most 256 KiB and 4 MiB in all. ' +
              'A storage without it gives them one by one.',
            examples: ['https://files.example.com/storage/-/objects'],
          }),
        ),
      }),
    },
  },
});
