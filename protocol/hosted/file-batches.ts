import { type Static, Type } from 'typebox';
import { exampleOf } from '../example.ts';
import { asJsonSchema } from '../json-schema.ts';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { BatchBlueprint, Blueprint, DateTime, Id, Literals } from '../schema.ts';
import { CreateFile, File, FinalizeFile, uploaders } from './files.ts';
import { PackageParams } from './packages.ts';

/**
 * Batch calls for many small files (docs/decisions/0010). Each file has the result that its own call would have: a
 * refused file does not affect the others.
 */

/** Why one file of a batch was refused: the same error body that a call for this file alone would get. */
const BatchError = Type.Object(
  {
    code: Type.Integer({ examples: [196_613] }),
    message: Type.String({
      description: 'What is wrong and what to do, for a person.',
      examples: ['There is no file with this id, or this credential cannot see it.'],
    }),
  },
  { title: 'BatchError' },
);

/** Names and numbers are validated file by file, so that one invalid name does not reject the whole call. */
export const BatchFile = Type.Object({
  kind: CreateFile.properties.kind,
  name: Type.String({ description: 'As for one file alone, and so are all other fields.' }),
  path: Type.String(),
  last_modified: DateTime,
  size: Type.Optional(Type.Integer({ minimum: 0 })),
  chunk_size: Type.Optional(Type.Integer({ minimum: 0 })),
});

/** What the examples are about. */
const sentWhole = {
  id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  kind: 'file',
  name: 'A001C001.xml',
  path: 'camera-a',
  last_modified: '2026-11-20T18:04:11.000Z',
  size: 10_240,
  chunk_size: limits.defaultChunkSize,
  chunk_checksum: 'blake3',
  state: 'new',
  virus_detected: false,
};

export const BatchCreated = Type.Object(
  {
    file: Type.Optional(File),
    create_blueprint: Type.Optional(Blueprint),
    upload_id: Type.Optional(Type.String()),
    put_blueprint: Type.Optional(Blueprint),
    error: Type.Optional(BatchError),
  },
  {
    title: 'BatchCreated',
    description:
      'Either `error`, or the `file` with what it needs next: `put_blueprint` sends all of it at once, and its `upload_id` is begun already; `create_blueprint` begins the upload of one that has more chunks; a folder needs neither.',
    examples: [{ file: sentWhole, upload_id: '01JDABC…', put_blueprint: exampleOf(asJsonSchema(Blueprint)) }],
  },
);
export type BatchCreated = Static<typeof BatchCreated>;

export const BatchResult = Type.Object({ file_id: Id, ...FinalizeFile.properties });
export type BatchResult = Static<typeof BatchResult>;

export const BatchFinalized = Type.Object(
  { file_id: Id, error: Type.Optional(BatchError) },
  { title: 'BatchFinalized', description: 'Without an `error` the file is finalized.', examples: [{ file_id: sentWhole.id }] },
);
export type BatchFinalized = Static<typeof BatchFinalized>;

/** A small file whose bytes the storage has, or a folder. */
export const BatchRecord = Type.Object({
  ...BatchFile.properties,
  upload_id: Type.Optional(Type.String({ maxLength: 64, description: 'Under which its bytes were sent; a folder has none.' })),
  etag: Type.Optional(Type.String({ maxLength: 256, description: "The storage's, or made of the bytes as `blake3` says." })),
});
export type BatchRecord = Static<typeof BatchRecord>;

export const BatchRecorded = Type.Object(
  { file_id: Type.Optional(Id), error: Type.Optional(BatchError) },
  { title: 'BatchRecorded', description: 'Either `error`, or the `file_id` of the finalized file.', examples: [{ file_id: sentWhole.id }] },
);
export type BatchRecorded = Static<typeof BatchRecorded>;

export const BatchDownload = Type.Object(
  {
    file_id: Id,
    method: Type.Optional(Literals(['GET'])),
    url: Type.Optional(Type.String({ examples: ['https://storage.example.com/objects/019aa1b2?signature=…'] })),
    object: Type.Optional(
      Type.String({
        description: "In place of an address: the file's key among those that `objects_url` stands for.",
        examples: ['019aa1b2'],
      }),
    ),
    error: Type.Optional(BatchError),
  },
  {
    title: 'BatchDownload',
    description: 'Either `error`, or the address that the file is downloaded from, or its `object`.',
    examples: [{ file_id: sentWhole.id, method: 'GET', url: 'https://storage.example.com/objects/019aa1b2?signature=…' }],
  },
);
export type BatchDownload = Static<typeof BatchDownload>;

const digest = 'b3-af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262';

export const fileBatchRoutes = defineRoutes({
  createFiles: {
    method: 'POST',
    path: '/v1/packages/{package_id}/files/batch',
    summary: 'Adds many files to a package; each that fits one chunk comes with the request that sends it whole.',
    tag: 'Files',
    credentials: uploaders,
    params: PackageParams,
    body: Type.Object({ files: Type.Array(BatchFile, { minItems: 1, maxItems: limits.filesPerBatch }) }),
    reply: { status: 200, body: Type.Object({ files: Type.Array(BatchCreated, { description: 'In the order asked.' }) }) },
    errors: ['not_found', 'package_expired', 'state_conflict'],
    example: { files: [{ kind: 'file', name: 'A001C001.xml', path: 'camera-a', last_modified: '2026-11-20T18:04:11.000Z', size: 10240 }] },
  },
  finalizeFiles: {
    method: 'POST',
    path: '/v1/packages/{package_id}/files/batch/finalize',
    summary: 'Finalizes many files. Asking again with the same content comes out the same.',
    tag: 'Files',
    credentials: uploaders,
    params: PackageParams,
    body: Type.Object({ files: Type.Array(BatchResult, { minItems: 1, maxItems: limits.filesPerBatch }) }),
    reply: { status: 200, body: Type.Object({ files: Type.Array(BatchFinalized, { description: 'In the order asked.' }) }) },
    errors: ['not_found'],
    example: {
      files: [
        {
          file_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
          chunk_extras: [{ part_number: '1', etag: digest }],
          file_extras: { upload_id: '01JDABC…' },
          size: 10240,
        },
      ],
    },
  },
  createBatchBlueprints: {
    method: 'POST',
    path: '/v1/packages/{package_id}/files/batch/blueprints',
    summary: 'Returns blueprints for batches of small files that are not created yet. None where files have to be created first.',
    tag: 'Files',
    credentials: uploaders,
    params: PackageParams,
    body: Type.Object({ count: Type.Integer({ minimum: 1, maximum: limits.batchBlueprintsPerCall }) }),
    reply: { status: 200, body: Type.Object({ batches: Type.Array(BatchBlueprint) }) },
    errors: ['not_found', 'package_expired', 'state_conflict'],
    example: { count: 8 },
  },
  recordFiles: {
    method: 'POST',
    path: '/v1/packages/{package_id}/files/batch/record',
    summary: 'Creates and finalizes small files whose bytes were sent by batch blueprints. Asking again comes out the same.',
    tag: 'Files',
    credentials: uploaders,
    params: PackageParams,
    body: Type.Object({ files: Type.Array(BatchRecord, { minItems: 1, maxItems: limits.filesPerBatch }) }),
    reply: { status: 200, body: Type.Object({ files: Type.Array(BatchRecorded, { description: 'In the order asked.' }) }) },
    errors: ['not_found', 'package_expired', 'state_conflict'],
    example: {
      files: [
        {
          kind: 'file',
          name: 'A001C001.xml',
          path: 'camera-a',
          last_modified: '2026-11-20T18:04:11.000Z',
          size: 10240,
          upload_id: '3f2a91c07d5e8b6c0a1f4e7d9b2c5a80',
          etag: digest,
        },
      ],
    },
  },
  downloadFiles: {
    method: 'POST',
    path: '/v1/packages/{package_id}/files/batch/download',
    summary: 'Returns the addresses that many files are downloaded from. They stand for an hour unless `expiry` asks otherwise.',
    tag: 'Files',
    credentials: ['package:read'],
    params: PackageParams,
    body: Type.Object({
      file_ids: Type.Array(Id, { minItems: 1, maxItems: limits.filesPerBatch }),
      expiry: Type.Optional(DateTime),
      one_address: Type.Optional(
        Type.Boolean({
          description: 'One address for all small files, where the storage has one: for a request that fetches many objects.',
        }),
      ),
    }),
    reply: {
      status: 200,
      body: Type.Object({
        files: Type.Array(BatchDownload, { description: 'In the order asked.' }),
        objects_url: Type.Optional(
          Type.String({
            description: 'Gives every file that has an `object` here, in the order of `files`; where it was asked for.',
            examples: ['https://storage.example.com/-/objects?for=%2F-%2Fobjects%3Fobjects%3D…'],
          }),
        ),
      }),
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
    ],
    example: { file_ids: [sentWhole.id] },
  },
});
