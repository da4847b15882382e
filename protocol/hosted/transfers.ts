import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Email, Id, Literals, Secret } from '../schema.ts';
import { Authorization, DirectionValue, ProviderValue } from './connections.ts';
import { PackageParams } from './packages.ts';

/** Transfers between packages and connected storage: contract/transfers.md §1, §2. */

export const cloudTransferStates = ['pending', 'started', 'complete', 'cancelled', 'error'] as const;
export type CloudTransferState = (typeof cloudTransferStates)[number];

export const RenamedFile = Type.Object({
  from: Type.String({ maxLength: limits.pathLength, description: 'The path in the package.', examples: ['day/a:b.txt'] }),
  to: Type.String({ maxLength: limits.pathLength, description: 'The path below the folder of the delivery.', examples: ['day/a_b.txt'] }),
});
export type RenamedFile = Static<typeof RenamedFile>;

export const CloudTransfer = Type.Object(
  {
    id: Id,
    package_id: Id,
    cloud_connection_id: Type.String({ description: 'Empty for one with single-use credentials.' }),
    cloud_connection_name: Type.Optional(
      Type.String({ description: 'Only in the list of a package. Absent for one with single-use credentials.', examples: ['Archive'] }),
    ),
    direction: DirectionValue,
    provider: ProviderValue,
    state: Literals(cloudTransferStates),
    progress: Type.Object({
      bytes: Bytes,
      total_bytes: Bytes,
      files: Type.Integer({ minimum: 0 }),
      total_files: Type.Integer({ minimum: 0 }),
    }),
    error: Type.String({ description: 'Why the state is `error`, in words; empty otherwise.', examples: [''] }),
    state_message: Type.String({
      description: 'What else there is to know, such as why it waits, or that its filter let no file through; mostly empty.',
      examples: [''],
    }),
    renamed: Type.Array(RenamedFile, {
      description:
        'Of a delivery by a storage gateway: what its disk could not hold under its own name, the first 100. Elsewhere the manifest has them.',
      examples: [[]],
    }),
    attempts: Type.Integer({ minimum: 0, description: 'How often it was begun or taken up again.' }),
    notify_email: Type.String({ description: 'Told when it is over; empty for nobody.', examples: [''] }),
    access_token: { ...Secret, description: 'The transfer token.' },
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'CloudTransfer' },
);
export type CloudTransfer = Static<typeof CloudTransfer>;

const TransferItem = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 4_096, description: 'The key or full path at the provider.' }),
  name: Type.String({ minLength: 1, maxLength: 1_024 }),
  kind: Literals(['file', 'directory']),
});

/**
 * A managed connection, or credentials for this one transfer: exactly one of the two. A read token may only use the
 * latter (contract/conventions.md §9.3).
 */
export const CreateCloudTransfer = Type.Object({
  cloud_connection_id: Type.Optional({ ...Id, description: 'Required, except with single-use credentials.' }),
  single_use: Type.Optional(
    Type.Object(
      {
        provider: ProviderValue,
        authorization: Authorization,
        target_directory_id: Type.Optional(Type.String({ maxLength: 4_096 })),
      },
      { description: 'Credentials for this transfer only, in place of a connection. They are forgotten when it is over.' },
    ),
  ),
  notify_email: Type.Optional(Email),
  finalize: Type.Optional(
    Type.Boolean({
      description: '`cloud_to_service` only: the package is finalized by itself as soon as everything has come in that is on its way then.',
    }),
  ),
  files: Type.Optional(
    Type.Array(TransferItem, { maxItems: 10_000, description: '`cloud_to_service` only: what to bring into the package.' }),
  ),
});
export type CreateCloudTransfer = Static<typeof CreateCloudTransfer>;

const TransferParams = Type.Object({ transfer_id: Id });
const common = { tag: 'Transfers', credentials: ['transfer'], params: TransferParams } as const;

export const cloudTransferRoutes = defineRoutes({
  createTransfer: {
    method: 'POST',
    path: '/v1/packages/{package_id}/transfer',
    summary: 'Transfers a package to connected storage, or files from it into the package. A read token brings single-use credentials.',
    tag: 'Transfers',
    credentials: ['package:manage', 'package:read'],
    params: PackageParams,
    body: CreateCloudTransfer,
    reply: { status: 201, body: CloudTransfer },
    errors: [
      'not_found',
      'not_allowed',
      'state_conflict',
      'package_expired',
      'over_limit',
      'link_expired',
      'link_inactive',
      'link_used_up',
    ],
    example: { cloud_connection_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', notify_email: 'post@example.com' },
  },
  listTransfers: {
    method: 'GET',
    path: '/v1/packages/{package_id}/transfer',
    summary: 'Lists the transfers of a package, each with its transfer token.',
    tag: 'Transfers',
    credentials: ['package:manage'],
    params: PackageParams,
    reply: { status: 200, body: Type.Array(CloudTransfer) },
    errors: ['not_found'],
  },
  getTransfer: {
    ...common,
    method: 'GET',
    path: '/v1/transfers/{transfer_id}',
    summary: 'Reads a transfer.',
    reply: { status: 200, body: CloudTransfer },
    errors: ['not_found'],
  },
  retryTransfer: {
    ...common,
    method: 'PUT',
    path: '/v1/transfers/{transfer_id}/retry',
    summary: 'Starts a transfer that failed or was cancelled again, where it stopped.',
    reply: { status: 204 },
    errors: ['not_found', 'state_conflict', 'package_expired'],
  },
  cancelTransfer: {
    ...common,
    method: 'PUT',
    path: '/v1/transfers/{transfer_id}/cancel',
    summary: 'Cancels a transfer that is not over.',
    reply: { status: 204 },
    errors: ['not_found', 'state_conflict'],
  },
});
