import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { type AuthorizationField, directions, type Provider, providerNames, providers } from '../providers.ts';
import { type DocTable, defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals, Name, names } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Cloud connections: contract/connections.md §2, §3. */

export const connectionStates = ['ok', 'error', 'offline'] as const;
export const ProviderValue = Literals(providerNames);
export const DirectionValue = Literals(directions);
const CloudPath = Type.String({ maxLength: limits.pathLength });

export const Connection = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Archive bucket'] }),
    provider: ProviderValue,
    direction: DirectionValue,
    state: Literals(connectionStates, { description: '`offline`: its gateway is not connected.' }),
    state_message: Type.String({ description: 'Why the state is not `ok`; empty if it is.', examples: [''] }),
    target_directory_id: Type.String({ description: 'The folder that packages go to; empty for the root.', examples: [''] }),
    source_directory_ids: Type.Array(Type.String(), { description: 'The folders that the file picker begins with.', examples: [[]] }),
    upload_transfer_manifest: Type.Boolean(),
    storage_gateway_id: Type.Optional(Id),
    external_id: Type.Optional(
      Type.String({
        description: 'Of a role: the external ID that its trust policy has to ask for.',
        examples: ['longshore-019aa1b2-7c3d-4e4f-8a5b-6c7d8e9f0a1b'],
      }),
    ),
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'CloudConnection', description: 'Its `authorization` is never returned.' },
);
export type Connection = Static<typeof Connection>;

/** Provider-specific credentials; `protocol/providers.ts` lists the fields of each provider. */
export const Authorization = Type.Record(Type.String(), Type.String({ maxLength: limits.authorizationValueLength }), {
  propertyNames: names(64),
  maxProperties: 20,
  description: 'What the provider wants. Write-only.',
  examples: [{ client_id: 'AKIA…', client_secret: '…', destination: 'dailies', region: 'eu-central-1' }],
});

export const CreateConnection = Type.Object({
  name: Type.Optional({ ...Name, description: "Without one, the provider's." }),
  provider: ProviderValue,
  direction: Type.Optional({ ...DirectionValue, default: 'service_to_cloud' }),
  authorization: Authorization,
  target_directory_id: Type.Optional({ ...CloudPath, description: '`service_to_cloud` only.' }),
  source_directory_ids: Type.Optional(Type.Array(CloudPath, { maxItems: 100, description: '`cloud_to_service` only.' })),
  upload_transfer_manifest: Type.Optional(Type.Boolean({ description: 'S3 and S3-compatible providers only.' })),
  storage_gateway_id: Type.Optional({ ...Id, description: 'Of a gateway provider: the gateway that reaches the storage.' }),
});
export type CreateConnection = Static<typeof CreateConnection>;

const UpdateConnection = Type.Object({
  name: Type.Optional(Name),
  authorization: Type.Optional({
    ...Authorization,
    description:
      'Properties that are left out stay unchanged. All secrets have to be sent again with a change of where or as whom they are shown: endpoint, bucket, region, account, role, key id and the like.',
  }),
  storage_gateway_id: Type.Optional({ ...Id, description: 'Of a gateway provider: another gateway that reaches the storage from now on.' }),
  target_directory_id: CreateConnection.properties.target_directory_id,
  source_directory_ids: CreateConnection.properties.source_directory_ids,
  upload_transfer_manifest: CreateConnection.properties.upload_transfer_manifest,
});

const CloudFile = Type.Object(
  {
    id: Type.String({ description: 'The key or full path at the provider.', examples: ['dailies/A001C001.mov'] }),
    name: Type.String({ examples: ['A001C001.mov'] }),
    kind: Literals(['file', 'directory']),
    size: Type.Optional(Bytes),
    last_modified: Type.Optional(DateTime),
    archived: Type.Optional(
      Type.Boolean({ description: '`true`: in cold storage, and has to be restored there before it can be transferred.' }),
    ),
  },
  { title: 'CloudFile' },
);
export type CloudFile = Static<typeof CloudFile>;

const pageFields = {
  prefix: Type.String({
    maxLength: limits.pathLength,
    default: '',
    description: 'The folder to list: the `id` of a directory. Empty for the folders that one begins with.',
  }),
  prev_key: Type.Optional(
    Type.String({ maxLength: limits.pathLength, description: "The last page's `prev_key`, which is opaque: goes on after it." }),
  ),
  count: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
};
const CloudFileQuery = Type.Object({
  ...pageFields,
  within: Literals(['sources', 'destination'], {
    default: 'sources',
    description: '`destination`: all of it, to choose `source_directory_ids` from.',
  }),
});
const CloudFilePage = Type.Object({
  records: Type.Array(CloudFile),
  prev_key: Type.String({ description: 'Asks for the next page; empty at the end.', examples: [''] }),
});
export type CloudFilePage = Static<typeof CloudFilePage>;

export const CheckStep = Type.Object({
  step: Literals(['put', 'list', 'get', 'abort', 'delete']),
  ok: Type.Boolean(),
  message: Type.String({ description: 'What the provider said; empty if it went well.', examples: [''] }),
});

export const ConnectionCheck = Type.Object(
  {
    ok: Type.Boolean(),
    steps: Type.Array(CheckStep),
    notes: Type.Array(Type.String(), {
      description: 'What is worth knowing although it works, such as credentials that expire soon.',
      examples: [[]],
    }),
  },
  { title: 'ConnectionCheck' },
);
export type ConnectionCheck = Static<typeof ConnectionCheck>;

const StepName = CheckStep.properties.step;
const TriedFolder = Type.String({ description: 'Where it is tried; empty for the root.', examples: ['Portal Downloads'] });

/** A check as it goes on: contract/connections.md §6. */
export const ConnectionCheckEvent = Type.Union(
  [
    Type.Object({ type: Literals(['step_began']), folder: TriedFolder, step: StepName }),
    Type.Object({ type: Literals(['step_ended']), folder: TriedFolder, ...CheckStep.properties }),
    Type.Object({ type: Literals(['ended'], { description: 'The last one.' }), check: ConnectionCheck }),
  ],
  { title: 'ConnectionCheckEvent' },
);
export type ConnectionCheckEvent = Static<typeof ConnectionCheckEvent>;

const fieldText = (field: AuthorizationField): string => {
  const values = field.values ? ` (${field.values.join(', ')})` : '';
  const standard = field.default === undefined || field.values?.length === 1 ? '' : `, default \`${field.default}\``;
  return `\`${field.name}\`${values}${field.required ? '' : ', optional'}${standard}`;
};

function authorizationText({ gateway, fields, alternatives }: Provider): string {
  if (gateway) return 'None: `{}`, and `storage_gateway_id`.';
  const choices = alternatives.map((one) => one.fields.map(fieldText).join(', ')).join('; or ');
  const common = fields.map(fieldText).join('; ');
  return choices === '' ? common : `${choices}; and ${common}`;
}

/** The fields that each provider requires, for the docs; `checkAuthorization` validates them. */
const providerTable: DocTable = {
  title: 'Authorization by provider',
  columns: ['Provider', 'Fields', 'Directions'],
  rows: providerNames.map((name) => {
    const provider: Provider = providers[name];
    return [`${provider.label} \`${name}\``, authorizationText(provider), provider.directions.map((one) => `\`${one}\``).join(', ')];
  }),
};

const ConnectionParams = Type.Object({ connection_id: Id });
const common = { tag: 'Cloud connections', credentials: teamCredentials } as const;

export const connectionRoutes = defineRoutes({
  createConnection: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/cloud_connections',
    summary: 'Connects a Team to storage of its own. Attach it to Portals to have new uploads transferred there.',
    params: TeamParams,
    body: CreateConnection,
    reply: { status: 201, body: Connection },
    errors: [...teamErrors, 'over_limit'],
    tables: [providerTable],
    example: {
      name: 'Archive',
      provider: 'wasabi_s3',
      authorization: {
        client_id: 'AKIA…',
        client_secret: '…',
        destination: 'dailies',
        endpoint: 'https://s3.eu-central-1.wasabisys.com',
        region: 'eu-central-1',
      },
    },
  },
  listConnections: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/cloud_connections',
    summary: 'Lists the connections of a Team.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(Connection) },
    errors: teamErrors,
  },
  getConnection: {
    ...common,
    method: 'GET',
    path: '/v1/cloud_connections/{connection_id}',
    summary: 'Reads a connection.',
    params: ConnectionParams,
    reply: { status: 200, body: Connection },
    errors: teamErrors,
  },
  updateConnection: {
    ...common,
    method: 'PUT',
    path: '/v1/cloud_connections/{connection_id}',
    summary: 'Renames a connection, or changes its credentials or folders; a new place wants the secrets again.',
    params: ConnectionParams,
    body: UpdateConnection,
    reply: { status: 200, body: Connection },
    errors: teamErrors,
    example: { authorization: { client_secret: '…' } },
  },
  deleteConnection: {
    ...common,
    method: 'DELETE',
    path: '/v1/cloud_connections/{connection_id}',
    summary: 'Deletes a connection. Transfers in progress finish normally.',
    params: ConnectionParams,
    reply: { status: 204 },
    errors: teamErrors,
  },
  listConnectionFiles: {
    ...common,
    method: 'GET',
    path: '/v1/cloud_connections/{connection_id}/files',
    summary: 'Lists what lies in a folder of the connected storage, for a file picker.',
    params: ConnectionParams,
    query: CloudFileQuery,
    reply: { status: 200, body: CloudFilePage },
    errors: [...teamErrors, 'state_conflict', 'storage_unavailable'],
  },
  browseStorage: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/cloud_connections/browse',
    summary: 'Lists what lies in a folder of storage that is not connected yet, to choose `source_directory_ids` from.',
    params: TeamParams,
    body: Type.Object({ provider: ProviderValue, authorization: Authorization, ...pageFields }),
    reply: { status: 200, body: CloudFilePage },
    errors: [...teamErrors, 'state_conflict', 'storage_unavailable'],
    example: {
      provider: 'wasabi_s3',
      authorization: {
        client_id: 'AKIA…',
        client_secret: '…',
        destination: 'dailies',
        endpoint: 'https://s3.eu-central-1.wasabisys.com',
        region: 'eu-central-1',
      },
    },
  },
  validateConnection: {
    ...common,
    method: 'POST',
    path: '/v1/cloud_connections/{connection_id}/validate',
    summary: 'Writes, lists, reads, aborts and deletes a small object for real, and reports each step.',
    params: ConnectionParams,
    reply: { status: 200, body: ConnectionCheck },
    errors: teamErrors,
  },
  streamConnectionCheck: {
    ...common,
    method: 'POST',
    path: '/v1/cloud_connections/{connection_id}/validate/events',
    summary: 'Validates a connection, and reports each step as it begins and ends.',
    params: ConnectionParams,
    reply: { status: 200, stream: 'text/event-stream', messages: ConnectionCheckEvent },
    errors: teamErrors,
  },
});
