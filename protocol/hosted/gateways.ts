import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals, Name, Secret } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Agents that access storage which the service cannot reach itself: contract/gateways.md §1. */

const facts = {
  id: Id,
  name: Type.String({ examples: ['Machine room'] }),
  platform: Type.String({ examples: ['linux'] }),
  version: Type.String(),
  state: Literals(['online', 'offline'], { description: '`online`: it asked for work within the last minutes.' }),
  last_seen_at: DateTime,
  created_at: DateTime,
};
const StorageGateway = Type.Object(facts, { title: 'StorageGateway' });

/** Returned only by the create call. */
const CreatedStorageGateway = Type.Object(
  { ...facts, access_token: { ...Secret, description: 'Goes in X-Gateway-Token. Shown here only.' } },
  { title: 'CreatedStorageGateway' },
);

const MountReport = Type.Object(
  {
    cloud_connection_id: Id,
    state: Literals(['ok', 'offline']),
    reason: Type.String({ maxLength: 1_024, description: 'Why it is offline; empty if it is not.', examples: [''] }),
  },
  { title: 'MountReport' },
);

const GatewayPoll = Type.Object({
  mounts: Type.Array(MountReport, { maxItems: 1_000, description: 'What the agent can reach now.' }),
  wait: Type.Integer({
    minimum: 0,
    maximum: limits.gatewayPollSeconds,
    default: 30,
    description: 'Seconds to wait for work before an empty answer.',
  }),
  renew: Type.Optional(Type.Array(Id, { maxItems: 1_000, description: 'Tasks still worked on, whose leases go on.' })),
});

const leased = {
  id: Id,
  cloud_connection_id: Id,
  leased_until: { ...DateTime, description: 'From then on the task may be handed out again.' },
};
const transfer = { transfer_id: Id, transfer_token: Secret, package_id: Id };

/** A task for a gateway. */
export const GatewayTask = Type.Union(
  [
    Type.Object({
      ...leased,
      kind: Literals(['deliver']),
      ...transfer,
      read_token: { ...Secret, description: "Downloads the package's files." },
      target_directory_id: Type.String(),
    }),
    Type.Object({
      ...leased,
      kind: Literals(['collect']),
      ...transfer,
      write_token: { ...Secret, description: 'Adds files to the package.' },
      files: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), kind: Literals(['file', 'directory']) })),
    }),
    Type.Object({
      ...leased,
      kind: Literals(['browse']),
      prefix: Type.String(),
      prev_key: Type.String(),
      count: Type.Integer({ minimum: 1, maximum: 1_000 }),
    }),
  ],
  { title: 'GatewayTask' },
);
export type GatewayTask = Static<typeof GatewayTask>;

const GatewayParams = Type.Object({ storage_gateway_id: Id });
const common = { tag: 'Storage gateways', credentials: teamCredentials, errors: teamErrors } as const;

export const gatewayRoutes = defineRoutes({
  createStorageGateway: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/storage_gateways',
    summary: 'Registers an agent as a storage gateway. Its token is shown in this answer only.',
    params: TeamParams,
    body: Type.Object({
      name: Name,
      platform: Type.String({ minLength: 1, maxLength: 64 }),
      version: Type.String({ minLength: 1, maxLength: 64 }),
    }),
    reply: { status: 201, body: CreatedStorageGateway },
    example: { name: 'Machine room', platform: 'linux', version: '0.1.0' },
  },
  listStorageGateways: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/storage_gateways',
    summary: 'Lists the storage gateways of a Team.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(StorageGateway) },
  },
  deleteStorageGateway: {
    ...common,
    method: 'DELETE',
    path: '/v1/storage_gateways/{storage_gateway_id}',
    summary: 'Removes a storage gateway. Its connections go offline.',
    params: GatewayParams,
    reply: { status: 204 },
  },
  pollStorageGateway: {
    method: 'POST',
    path: '/v1/storage_gateways/{storage_gateway_id}/poll',
    summary: 'Asks for work, and says what can be reached. Waits until there is some or the time is up.',
    tag: 'Storage gateways',
    credentials: ['gateway'],
    params: GatewayParams,
    body: GatewayPoll,
    reply: { status: 200, body: Type.Object({ tasks: Type.Array(GatewayTask) }) },
    errors: ['not_found', 'team_inactive'],
    example: { mounts: [{ cloud_connection_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', state: 'ok', reason: '' }], wait: 30 },
  },
});
