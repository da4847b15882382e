import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals, Name, Secret } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { CheckStep } from './connections.ts';
import { cloudTransferStates, RenamedFile } from './transfers.ts';

/** Agents that access storage which the service cannot reach itself: contract/gateways.md §1 to §6. */

const facts = {
  id: Id,
  name: Type.String({ examples: ['Machine room'] }),
  platform: Type.String({ examples: ['linux'] }),
  version: Type.String(),
  state: Literals(['online', 'offline'], { description: '`online`: it asks for work.' }),
  last_seen_at: { ...DateTime, description: 'When it last asked for work; unset if never.' },
  created_at: DateTime,
};
const StorageGateway = Type.Object(facts, { title: 'StorageGateway' });
export type StorageGateway = Static<typeof StorageGateway>;

/** Returned only by the create call. */
const CreatedStorageGateway = Type.Object(
  { ...facts, access_token: { ...Secret, description: 'Goes in X-Gateway-Token. Shown here only.' } },
  { title: 'CreatedStorageGateway' },
);

const Reason = Type.String({ maxLength: 1_024, description: 'Why it is offline; empty if it is not.', examples: [''] });

const MountReport = Type.Object({ cloud_connection_id: Id, state: Literals(['ok', 'offline']), reason: Reason }, { title: 'MountReport' });
export type MountReport = Static<typeof MountReport>;

const GatewayPoll = Type.Object(
  {
    mounts: Type.Array(MountReport, {
      maxItems: limits.connectionsPerTeam,
      description: 'What the agent can reach now. A connection that is left out is `offline`.',
    }),
    wait: Type.Integer({
      minimum: 0,
      maximum: limits.gatewayPollSeconds,
      default: 30,
      description: 'Seconds to wait for work before an empty answer.',
    }),
    renew: Type.Optional(Type.Array(Id, { maxItems: limits.gatewayTasks, description: 'Tasks still worked on, whose leases go on.' })),
    partial: Type.Optional(
      Type.Array(Id, {
        maxItems: limits.gatewayTasks,
        description: 'Transfers that it has begun and has no task of, as after a restart: they may have been cancelled meanwhile.',
      }),
    ),
  },
  { title: 'GatewayPoll' },
);

const leased = {
  id: Id,
  cloud_connection_id: Id,
  attempt: Type.Integer({ minimum: 1, description: 'How often it was handed out.' }),
  leased_until: { ...DateTime, description: 'From then on the task may be handed out again.' },
};
const transfer = {
  transfer_id: Id,
  transfer_token: {
    ...Secret,
    description: 'Reports on the transfer, and does nothing else. Ends with the task, as the other token does.',
  },
  package_id: Id,
};

/** A task for a gateway. */
export const GatewayTask = Type.Union(
  [
    Type.Object({
      ...leased,
      kind: Literals(['deliver']),
      ...transfer,
      read_token: { ...Secret, description: "Lists and downloads the package's files, those that the transfer delivers." },
      target_directory_id: Type.String({
        description: 'The folder below the mount, with all placeholders replaced; `/` between its steps.',
      }),
      total_bytes: Bytes,
      total_files: Type.Integer({ minimum: 0, description: 'Files and folders of the package that are delivered.' }),
    }),
    Type.Object({
      ...leased,
      kind: Literals(['collect']),
      ...transfer,
      write_token: { ...Secret, description: 'Adds files to the package.' },
      files: Type.Array(
        Type.Object({
          id: Type.String({ description: 'The path below the mount.' }),
          name: Type.String({ description: 'The path in the package.' }),
          kind: Literals(['file', 'directory']),
        }),
      ),
      source_directory_ids: Type.Array(Type.String(), { description: 'The folders that files may come from; none: all.' }),
    }),
    Type.Object({
      ...leased,
      kind: Literals(['browse']),
      prefix: Type.String({ description: 'The folder, below the mount; empty for the mount itself.' }),
      prev_key: Type.String({ description: '`next_key` of the page before; empty for the first.' }),
      count: Type.Integer({ minimum: 1, maximum: 1_000 }),
    }),
    Type.Object({
      ...leased,
      kind: Literals(['check']),
      folders: Type.Array(Type.String(), { description: 'Below the mount; the empty text is the mount itself.' }),
      write: Type.Boolean({ description: 'Whether to write, read back and delete a small file too, or to list alone.' }),
    }),
  ],
  { title: 'GatewayTask' },
);
export type GatewayTask = Static<typeof GatewayTask>;

const GatewayWork = Type.Object(
  {
    tasks: Type.Array(GatewayTask),
    cancelled: Type.Array(Id, {
      description:
        "Of `renew`: tasks that are not the gateway's any more; of `partial`: transfers that are over. They are put down at once.",
    }),
  },
  { title: 'GatewayWork' },
);
export type GatewayWork = Static<typeof GatewayWork>;

const Problem = Type.String({ minLength: 1, maxLength: 1_024, description: 'What is wrong, and what to do, in words for a person.' });

/** What a gateway answers to `browse` (`items`) and to `check` (`steps`), or that it could do neither (`error`): one of these. */
export const TaskAnswer = Type.Object(
  {
    items: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String({ minLength: 1, maxLength: limits.pathLength, description: 'The path below the mount.' }),
          name: Type.String({ minLength: 1, maxLength: 1_024 }),
          kind: Literals(['file', 'directory']),
          size: Type.Optional(Bytes),
          last_modified: Type.Optional(DateTime),
        }),
        { maxItems: 1_000, description: 'Of `browse`: what lies in the folder.' },
      ),
    ),
    next_key: Type.Optional(Type.String({ maxLength: 1_024, description: 'With `items`: asks for the next page; empty at the end.' })),
    steps: Type.Optional(Type.Array(CheckStep, { minItems: 1, maxItems: 20, description: 'Of `check`.' })),
    more: Type.Optional(
      Type.Boolean({ description: 'With `steps`: those that have ended so far. Others follow by the same call, each with all before.' }),
    ),
    error: Type.Optional(Problem),
    not_found: Type.Optional(Type.Boolean({ description: 'With `error`: there is no such folder.' })),
  },
  { title: 'GatewayTaskAnswer' },
);
export type TaskAnswer = Static<typeof TaskAnswer>;

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const TransferReport = Type.Object(
  {
    task_id: Id,
    state: Literals(['started', 'waiting', 'complete', 'error'], {
      description: '`waiting`: for what passes by itself, such as a folder that is away. `error`: somebody has to act.',
    }),
    progress: Type.Object({ bytes: Bytes, total_bytes: Bytes, files: count, total_files: count }),
    error: Type.Optional({ ...Problem, description: 'Of `waiting` and `error`: why, in words for a person.' }),
    renamed: Type.Optional(
      Type.Array(RenamedFile, {
        maxItems: 100,
        description: 'With `complete`: paths that the disk could not hold as they are. More need not be told.',
      }),
    ),
    renamed_total: Type.Optional({ ...count, description: 'How many there are, where `renamed` has not all of them.' }),
  },
  { title: 'TransferReport' },
);
export type TransferReport = Static<typeof TransferReport>;

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
    errors: [...teamErrors, 'over_limit'],
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
    reply: { status: 200, body: GatewayWork },
    errors: ['not_found', 'team_inactive'],
    example: { mounts: [{ cloud_connection_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', state: 'ok', reason: '' }], wait: 30 },
  },
  answerGatewayTask: {
    method: 'PUT',
    path: '/v1/storage_gateways/{storage_gateway_id}/tasks/{task_id}',
    summary: 'Answers a task that asks for something: what lies in a folder, or how a check went.',
    tag: 'Storage gateways',
    credentials: ['gateway'],
    params: Type.Object({ storage_gateway_id: Id, task_id: Id }),
    body: TaskAnswer,
    reply: { status: 204 },
    errors: ['not_found', 'state_conflict', 'team_inactive'],
    example: { items: [{ id: 'dailies/A001C001.mov', name: 'A001C001.mov', kind: 'file', size: 734_003_200 }], next_key: '' },
  },
  reportTransfer: {
    method: 'PUT',
    path: '/v1/transfers/{transfer_id}/report',
    summary: 'Tells how a task of the kind deliver or collect goes, and renews its lease.',
    tag: 'Storage gateways',
    credentials: ['transfer:report'],
    params: Type.Object({ transfer_id: Id }),
    body: TransferReport,
    reply: {
      status: 200,
      body: Type.Object({
        state: Literals(cloudTransferStates),
        leased_until: { ...DateTime, description: 'Unset once the task is over.' },
      }),
    },
    errors: ['not_found', 'state_conflict', 'team_inactive'],
    example: {
      task_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
      state: 'started',
      progress: { bytes: 367_001_600, total_bytes: 734_003_200, files: 0, total_files: 1 },
    },
  },
});
