import { Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { LocalPath } from './transfers.ts';

/** Folders that the storage gateway binds to cloud connections: contract/gateways.md §2. */

const Mount = Type.Object(
  {
    id: Id,
    team_id: Id,
    cloud_connection_id: Id,
    path: LocalPath,
    state: Literals(['ok', 'offline']),
    reason: Type.String({ description: 'Why it is offline (absent, read-only, full); empty if it is not.', examples: [''] }),
    free_bytes: { ...Bytes, description: 'Free room below the folder, in bytes.' },
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'Mount' },
);

const CreateMount = Type.Object({ team_id: Id, cloud_connection_id: Id, path: LocalPath });

const MountParams = Type.Object({ id: Id });
const common = { tag: 'Gateway', credentials: ['none'] } as const;
const pathErrors = ['path_not_found', 'path_not_absolute', 'path_unreadable', 'path_outside'] as const;

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
    summary: 'Binds a cloud connection to a folder of this machine or a NAS.',
    body: CreateMount,
    reply: { status: 201, body: Mount },
    errors: ['session_is_nil', 'not_found', 'already_exists', ...pathErrors],
    example: {
      team_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
      cloud_connection_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c',
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
    summary: 'Moves a mount to another folder.',
    params: MountParams,
    body: Type.Object({ path: LocalPath }),
    reply: { status: 200, body: Mount },
    errors: ['not_found', ...pathErrors],
    example: { path: '/mnt/nas2/dailies' },
  },
  deleteMount: {
    ...common,
    method: 'DELETE',
    path: '/api/v1/gateway/mounts/{id}',
    summary: 'Removes a mount. Its folder stays as it is.',
    params: MountParams,
    reply: { status: 204 },
    errors: ['not_found'],
  },
});
