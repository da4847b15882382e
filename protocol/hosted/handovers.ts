import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals, Secret } from '../schema.ts';
import { ChunkChecksum } from './files.ts';
import { PackageParams, PackageState } from './packages.ts';

/** Transfers that begin in a browser and go on in the app: contract/handovers.md §1. */

const Count = Type.Integer({ minimum: 0, examples: [3] });

/** A file that a page sends, and how far it has come. */
export const HandoverFile = Type.Object(
  {
    kind: Literals(['file', 'directory']),
    path: Type.String({ maxLength: limits.pathLength, description: 'The folder inside the package, with `/`; empty for the root.' }),
    name: Type.String({ minLength: 1, maxLength: limits.nameLength, examples: ['A001C001.mov'] }),
    size: Type.Integer({ minimum: 0, maximum: limits.maxFileSize, examples: [734_003_200] }),
    last_modified: DateTime,
    file_id: Type.Optional({ ...Id, description: 'Its record at the service; absent before it has one.' }),
    sent: Type.Optional(Type.Boolean({ description: 'It is finalized: nothing is left to send.' })),
    digest: Type.Optional(Type.String({ maxLength: 128, description: 'Of a finalized one: `blake3:<hex>`.' })),
    upload_id: Type.Optional({ ...Secret, description: 'Of an upload that is open at the storage.' }),
    chunk_size: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.maxChunkSize, description: 'Of an open upload, in bytes.' })),
    chunk_checksum: Type.Optional(ChunkChecksum),
    chunks: Type.Optional(
      Type.Array(
        Type.Object({
          index: Type.Integer({ minimum: 0, maximum: limits.maxChunkCount - 1 }),
          etag: Type.String({ minLength: 1, maxLength: 256 }),
          blake3: Type.String({
            pattern: '^[0-9a-f]{64}$',
            examples: ['af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
          }),
        }),
        {
          maxItems: limits.maxChunkCount,
          description:
            'Confirmed chunks, where `chunk_checksum` is `none`: their etags alone do not tell what is in them. Of a file that several parts name, all count.',
        },
      ),
    ),
  },
  { title: 'HandoverFile' },
);
export type HandoverFile = Static<typeof HandoverFile>;

/** What a page hands over, in parts. */
export const HandoverPart = Type.Object(
  {
    files: Type.Optional(Type.Array(HandoverFile, { maxItems: limits.filesPerHandoverPart, description: 'Of an upload.' })),
    file_ids: Type.Optional(
      Type.Array(Id, {
        maxItems: limits.filesPerHandoverPart,
        description: 'Of a download: what was chosen. None at all: the whole package.',
      }),
    ),
  },
  { title: 'HandoverPart' },
);
export type HandoverPart = Static<typeof HandoverPart>;

const Code = Type.String({
  minLength: 20,
  maxLength: 128,
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'Of a handover.',
  examples: ['q4pVb0xZr1k2n3m4o5p6q7r8s9t0u1v2w3x4y5z6A7B'],
});

export const OpenedHandover = Type.Object(
  {
    kind: Literals(['upload', 'download'], { description: '`upload`: the page sends this package. `download`: it receives it.' }),
    package_id: Id,
    package_name: Type.String({ examples: ['Dailies, day 12'] }),
    sender: Type.String({ examples: ['mia@example.com'] }),
    portal: Type.Optional(Type.Object({ id: Id, name: Type.String() }, { description: 'Uploads through a Portal: which.' })),
    team_id: Type.Optional({ ...Id, description: 'Uploads of a member: the Team.' }),
    expires_at: { ...DateTime, description: 'When the code ends.' },
    part: HandoverPart,
    next: Type.Union([Type.Integer(), Type.Null()], { description: '`part` of the call for the next part; null at the end.' }),
  },
  { title: 'OpenedHandover' },
);
export type OpenedHandover = Static<typeof OpenedHandover>;

export const handoverStates = ['waiting', 'taken', 'cancelled', 'expired'] as const;

export const Handover = Type.Object(
  {
    id: Id,
    state: Literals(handoverStates, { description: '`taken`: the app goes on, and the page never does again.' }),
    expires_at: DateTime,
    package_state: PackageState,
    files: Type.Object({ total: Count, finalized: Count }, { description: 'Of the package at the service, without folders.' }),
    bytes: Type.Object({
      total: Bytes,
      finalized: Bytes,
      confirmed: Type.Optional({
        ...Bytes,
        description: 'Of an upload under way: what the storage has, with the parts of files that are not whole yet.',
      }),
    }),
  },
  { title: 'Handover' },
);
export type Handover = Static<typeof Handover>;

const anyPackageToken = ['package:write', 'package:read', 'package:manage'] as const;
const HandoverParams = Type.Object({ package_id: Id, handover_id: Id });
const ofPackage = [
  'not_found',
  'not_allowed',
  'team_inactive',
  'state_conflict',
  'package_expired',
  'link_expired',
  'link_inactive',
] as const;

export const handoverRoutes = defineRoutes({
  createHandover: {
    method: 'POST',
    path: '/v1/packages/{package_id}/handovers',
    summary: 'Makes a code by which an app goes on with what this page has begun. It is good for 10 minutes, and for one app.',
    tag: 'Handovers',
    credentials: anyPackageToken,
    params: PackageParams,
    reply: { status: 201, body: Type.Object({ id: Id, code: Code, expires_at: DateTime }) },
    errors: ofPackage,
  },
  putHandoverPart: {
    method: 'PUT',
    path: '/v1/packages/{package_id}/handovers/{handover_id}/parts/{part}',
    summary: 'States what is handed over: which files, and how far each has come. Parts are numbered from 0, without gaps.',
    tag: 'Handovers',
    credentials: anyPackageToken,
    params: Type.Object({ ...HandoverParams.properties, part: Type.String({ pattern: '^(0|[1-9][0-9]{0,3})$', examples: ['0'] }) }),
    body: HandoverPart,
    reply: { status: 204 },
    errors: ofPackage,
    example: {
      files: [{ kind: 'file', path: 'camera-a', name: 'A001C001.mov', size: 734003200, last_modified: '2026-11-20T18:04:11.000Z' }],
    },
  },
  getHandover: {
    method: 'GET',
    path: '/v1/packages/{package_id}/handovers/{handover_id}',
    summary: 'Whether an app has taken over, and how far the package has come.',
    tag: 'Handovers',
    credentials: anyPackageToken,
    params: HandoverParams,
    reply: { status: 200, body: Handover },
    errors: ofPackage,
  },
  cancelHandover: {
    method: 'DELETE',
    path: '/v1/packages/{package_id}/handovers/{handover_id}',
    summary: 'Ends a code, so that the page may go on by itself. 409 `state_conflict`: an app has taken over.',
    tag: 'Handovers',
    credentials: anyPackageToken,
    params: HandoverParams,
    reply: { status: 204 },
    errors: ofPackage,
  },
  openHandover: {
    method: 'POST',
    path: '/v1/handovers/open',
    summary: 'What a code stands for, in parts. It uses nothing up.',
    tag: 'Handovers',
    credentials: ['none'],
    body: Type.Object({ code: Code, part: Type.Optional(Type.Integer({ minimum: 0, maximum: 9_999, default: 0 })) }),
    reply: { status: 200, body: OpenedHandover },
    errors: ofPackage,
    example: { code: 'q4pVb0xZr1k2n3m4o5p6q7r8s9t0u1v2w3x4y5z6A7B', part: 0 },
  },
  takeHandover: {
    method: 'POST',
    path: '/v1/handovers/take',
    summary: 'Takes over: a package token with the rights of the one that the code was made with. Once; with the same `claim` again.',
    tag: 'Handovers',
    credentials: ['none'],
    body: Type.Object({
      code: Code,
      claim: Type.String({
        minLength: 20,
        maxLength: 128,
        description: "A secret of the app's own, so that a lost answer can be asked for again.",
      }),
    }),
    reply: { status: 200, body: Type.Object({ package_id: Id, package_token: Secret }) },
    errors: ofPackage,
    example: { code: 'q4pVb0xZr1k2n3m4o5p6q7r8s9t0u1v2w3x4y5z6A7B', claim: '9f0e4c1d-2b3a-4f5e-8d7c-6b5a4c3d2e1f' },
  },
});
