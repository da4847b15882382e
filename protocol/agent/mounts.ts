import { type Static, Type } from 'typebox';
import { CheckStep } from '../hosted/connections.ts';
import { gatewayProviders } from '../providers.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals, Name } from '../schema.ts';
import { LocalPath } from './transfers.ts';

/** Folders that the storage gateway binds to cloud connections: contract/gateways.md §2, contract/agent.md §11. */

const ReadOnly = Type.Boolean({ description: 'Files are collected from it, and none delivered.' });

export const Mount = Type.Object(
  {
    id: Id,
    name: Type.String({ description: "The connection's name.", examples: ['Dailies NAS'] }),
    team_id: Id,
    gateway_id: { ...Id, description: 'The storage gateway that this agent is for the Team.' },
    cloud_connection_id: Id,
    path: LocalPath,
    read_only: ReadOnly,
    state: Literals(['ok', 'offline']),
    reason: Type.String({ description: 'Why it is offline, and what to do; empty if it is not.', examples: [''] }),
    free_bytes: Type.Union([Bytes, Type.Null()], { description: 'Free room below the folder, in bytes; `null` where that is not known.' }),
    tasks: Type.Integer({ minimum: 0, description: 'Transfers that the service has handed out and that are not over.' }),
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'Mount' },
);
export type Mount = Static<typeof Mount>;

export const CreateMount = Type.Object({
  team_id: Id,
  cloud_connection_id: Type.Optional({ ...Id, description: 'A connection of a gateway provider. Without it one is made.' }),
  provider: Type.Optional(Literals(gatewayProviders, { default: 'storage_gateway', description: 'Of the connection that is made.' })),
  direction: Type.Optional(
    Literals(['service_to_cloud', 'cloud_to_service'], {
      default: 'service_to_cloud',
      description: 'Of the connection that is made; a read-only mount only collects.',
    }),
  ),
  name: Type.Optional({ ...Name, description: "Of the connection that is made; the folder's name unless given." }),
  path: LocalPath,
  read_only: Type.Optional({ ...ReadOnly, default: false }),
});
export type CreateMount = Static<typeof CreateMount>;

export const UpdateMount = Type.Object({ path: Type.Optional(LocalPath), read_only: Type.Optional(ReadOnly) });
export type UpdateMount = Static<typeof UpdateMount>;

export const MountCheck = Type.Object({ ok: Type.Boolean(), steps: Type.Array(CheckStep) }, { title: 'MountCheck' });
export type MountCheck = Static<typeof MountCheck>;

const MountParams = Type.Object({ id: Id });
const common = { tag: 'Gateway', credentials: ['none'] } as const;
const pathErrors = ['path_not_found', 'path_not_absolute', 'path_unreadable', 'path_outside', 'folders_overlap', 'mount_unusable'] as const;

export const mountRoutes = defineRoutes({
  listMounts: {
    ...common,
    method: 'GET',
    path: '/api/v1/gateway/mounts',
    summary: "Lists the gateway's mounts.",
    reply: { status: 200, body: Type.Array(Mount) },
  },
  createMount: {
    ...common,
    method: 'POST',
    path: '/api/v1/gateway/mounts',
    summary: 'Binds a cloud connection to a folder of this machine or a NAS. The first one of a Team registers this agent as its gateway.',
    body: CreateMount,
    reply: { status: 201, body: Mount },
    errors: ['session_is_nil', 'not_found', 'not_allowed', 'already_exists', 'over_limit', 'service_unreachable', ...pathErrors],
    example: {
      team_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
      path: '/mnt/nas/dailies',
    },
  },
  getMount: {
    ...common,
    method: 'GET',
    path: '/api/v1/gateway/mounts/{id}',
    summary: 'Reads a mount.',
    params: MountParams,
    reply: { status: 200, body: Mount },
    errors: ['not_found'],
  },
  updateMount: {
    ...common,
    method: 'PUT',
    path: '/api/v1/gateway/mounts/{id}',
    summary: 'Moves a mount to another folder, or says whether it is read-only. Its own folder again writes a lost marker file anew.',
    params: MountParams,
    body: UpdateMount,
    reply: { status: 200, body: Mount },
    errors: ['not_found', ...pathErrors],
    example: { path: '/mnt/nas2/dailies' },
  },
  checkMount: {
    ...common,
    method: 'POST',
    path: '/api/v1/gateway/mounts/{id}/check',
    summary: 'Does in the folder what transfers do: writes a small file, lists it, reads it back and removes it.',
    params: MountParams,
    reply: { status: 200, body: MountCheck },
    errors: ['not_found'],
  },
  deleteMount: {
    ...common,
    method: 'DELETE',
    path: '/api/v1/gateway/mounts/{id}',
    summary: 'Removes a mount. Its folder stays as it is, but for the marker file; what was under way is put down.',
    params: MountParams,
    reply: { status: 204 },
    errors: ['not_found'],
  },
});

export type MountRouteName = keyof typeof mountRoutes;
