import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes, type OutboundCall } from '../route.ts';
import { Bytes, DateTime, Id, Literals, Name, names, Secret } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { PackageState } from './packages.ts';
import { CloudTransfer } from './transfers.ts';

/** Outbound webhooks: contract/webhooks.md §1. */

export const webhookEvents = [
  ...(['package.created', 'package.finalized', 'package.downloaded', 'package.expires', 'package.failed'] as const),
  ...(['transfer.started', 'transfer.complete', 'transfer.error'] as const),
  ...(['package.virus_found', 'package.scanned', 'quota.warning'] as const),
] as const;
const WebhookEvent = Literals(webhookEvents);

export const webhookScopes = ['portals', 'team'] as const;
const Scope = Literals(webhookScopes, {
  description:
    '`portals`: it hears of packages through Portals that it is attached to. `team`: of every package of the Team, through a Portal or not.',
  examples: ['portals'],
});

const Url = Type.String({
  pattern: '^https?://',
  maxLength: 2_048,
  description: 'http or https, reachable from the service.',
  examples: ['https://hooks.example.com/longshore'],
});
const Headers = Type.Record(Type.String(), Type.String({ maxLength: 4_096 }), {
  propertyNames: names(128),
  maxProperties: limits.webhookHeaders,
  description: 'Added to each request.',
  examples: [{ 'X-Studio': 'northlight' }],
});
const Extras = Type.Record(Type.String(), Type.String({ maxLength: limits.textLength }), {
  propertyNames: names(128),
  maxProperties: limits.webhookExtras,
  description: 'Added to each body.',
  examples: [{ project: 'northlight' }],
});
const Events = Type.Array(WebhookEvent, { minItems: 1, maxItems: webhookEvents.length, uniqueItems: true });

const facts = {
  id: Id,
  active: Type.Boolean({ examples: [true] }),
  body_extras: Extras,
  events: Type.Array(WebhookEvent),
  headers: Headers,
  method: Literals(['POST', 'PUT']),
  name: Type.String({ examples: ['Ingest'] }),
  scope: Scope,
  url: Url,
};
export const Webhook = Type.Object(facts, { title: 'Webhook' });
export type Webhook = Static<typeof Webhook>;

export const ListedWebhook = Type.Object(
  { ...facts, connections: Type.Integer({ minimum: 0, description: 'The number of Portals it is attached to.' }) },
  { title: 'ListedWebhook' },
);
export type ListedWebhook = Static<typeof ListedWebhook>;

/** Returned only by the create call: the webhook with the secret that signs its requests. */
export const CreatedWebhook = Type.Object(
  { ...facts, secret: { ...Secret, description: 'Signs the requests (Standard Webhooks). Shown here only.', examples: ['whsec_…'] } },
  { title: 'CreatedWebhook' },
);
export type CreatedWebhook = Static<typeof CreatedWebhook>;

/** After a change of its address a webhook has a new secret, which is returned only in that answer. */
const ChangedWebhook = Type.Object(
  {
    ...facts,
    secret: Type.Optional({
      ...Secret,
      description: 'A new one, where `url` changed; the one before signs nothing any more. Shown here only.',
      examples: ['whsec_…'],
    }),
  },
  { title: 'ChangedWebhook' },
);

export const WebhookRequest = Type.Object({
  active: Type.Boolean(),
  events: Events,
  method: Literals(['POST', 'PUT']),
  url: Url,
  scope: Type.Optional({ ...Scope, default: 'portals' }),
  name: Type.Optional(Name),
  headers: Type.Optional(Headers),
  body_extras: Type.Optional(Extras),
});
export type WebhookRequest = Static<typeof WebhookRequest>;

/** The result of one attempt; the list has the newest first. */
export const WebhookDelivery = Type.Object(
  {
    id: Id,
    event_id: Id,
    event_type: WebhookEvent,
    attempt: Type.Integer({ minimum: 1, description: 'Replays count on.' }),
    state: Literals(['delivered', 'failed', 'gave_up']),
    status: Type.Integer({ minimum: 0, description: "The answer's HTTP status; 0 if there was none.", examples: [200] }),
    error: Type.String({ description: 'Why it failed, in words; empty if it did not.', examples: [''] }),
    milliseconds: Type.Integer({ minimum: 0 }),
    test: Type.Boolean({ description: 'Whether it was sent by `POST …/test`.', examples: [false] }),
    replayable: Type.Boolean({ description: 'Whether it can be sent again.', examples: [true] }),
    created_at: DateTime,
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** An attempt to tell a webhook of a package. */
const PackageDelivery = Type.Object(
  {
    ...WebhookDelivery.properties,
    webhook: Type.Object({
      id: Id,
      name: Type.String({ examples: ['Slack'] }),
      host: Type.String({ examples: ['hooks.example.com'] }),
      active: Type.Boolean(),
    }),
  },
  { title: 'PackageDelivery' },
);
export type PackageDelivery = Static<typeof PackageDelivery>;

/** An attempt that the list will show once it is made. */
const QueuedDelivery = Type.Object({ event_id: Id, attempt: Type.Integer({ minimum: 1 }) }, { title: 'QueuedDelivery' });

const PackageObject = Type.Object({
  type: Literals(['package']),
  id: Id,
  name: Type.String(),
  portal_id: Type.Optional(Id),
  sender: Type.String(),
  size: Bytes,
  state: PackageState,
  total_files: Type.Integer({ minimum: 0 }),
  created_at: DateTime,
  updated_at: DateTime,
});

const TransferObject = Type.Object({
  type: Literals(['transfer']),
  ...Type.Pick(CloudTransfer, [
    'id',
    'package_id',
    'cloud_connection_id',
    'direction',
    'provider',
    'state',
    'progress',
    'error',
    'attempts',
    'created_at',
    'updated_at',
  ]).properties,
  name: Type.String({ description: "The package's." }),
  portal_id: Type.Optional(Id),
});

const NoticeObject = Type.Object({
  ...PackageObject.properties,
  expiry: DateTime,
  link: Type.Optional(
    Type.Object(
      {
        id: Id,
        email: Type.String({ description: 'Empty if the link is for nobody in particular.' }),
        verified: Type.Optional(
          Type.Boolean({ description: 'Of a download: it was proved with a mailed code that the address is theirs.', examples: [false] }),
        ),
      },
      { description: 'The link that was downloaded through, or whose mail failed.' },
    ),
  ),
  failure: Type.Optional(
    Type.Object(
      { reason: Type.String({ description: 'In English.' }), transfer_id: Type.Optional(Id) },
      { description: 'With `package.failed`.' },
    ),
  ),
});

const VirusObject = Type.Object({
  ...PackageObject.properties,
  virus: Type.Object(
    {
      file_id: Id,
      path: Type.String({ description: 'The folder inside the package that holds the file; empty for the root.' }),
      name: Type.String({ examples: ['invoice.docm'] }),
      virus: Type.String({ description: "The scanner's name for it.", examples: ['Win.Trojan.Agent-1'] }),
    },
    { description: 'The first that was found. There may be more.' },
  ),
});

const ScanObject = Type.Object({
  ...PackageObject.properties,
  contains_virus: Type.Boolean(),
  scan: Type.Object(
    {
      files: Type.Integer({ minimum: 0, examples: [3] }),
      infected: Type.Integer({ minimum: 0, description: 'Files in which a virus was found.', examples: [0] }),
      not_scanned: Type.Integer({ minimum: 0, description: 'Files of which nothing is known, as they are too large or cannot be read.' }),
    },
    { description: 'What was looked at. Folders are no files.' },
  ),
});

const QuotaObject = Type.Object({
  type: Type.Literal('quota'),
  id: Id,
  team_id: Id,
  portal_id: Type.Optional(Id),
  name: Type.String({ description: "The Portal's, or the Team's.", examples: ['Northlight'] }),
  quota: Literals(['team_storage', 'team_traffic', 'portal_storage']),
  percent: Type.Union([Type.Literal(80), Type.Literal(100)], {
    description: 'How much is used, at least; 100 as well where something was refused.',
    examples: [80],
  }),
  limit: Bytes,
  used: Bytes,
});

const payloadFacts = {
  event_id: Id,
  event_time: DateTime,
  body_extras: Extras,
  test: Type.Optional(Type.Literal(true, { description: 'Nothing happened: somebody tries the webhook.' })),
} as const;

/** The body that a webhook receives of a package. */
const PackagePayload = Type.Object(
  {
    ...payloadFacts,
    event_type: Literals(['package.created', 'package.finalized']),
    object: PackageObject,
    custom_webhook_id: Id,
  },
  { title: 'WebhookPayload' },
);

/** The body that a webhook receives of what happened to a complete package. */
const NoticePayload = Type.Object(
  {
    ...payloadFacts,
    event_type: Literals(['package.downloaded', 'package.expires', 'package.failed']),
    object: NoticeObject,
    custom_webhook_id: Id,
  },
  { title: 'NoticeWebhookPayload' },
);

/** The body of an event of a transfer. */
const TransferPayload = Type.Object(
  {
    ...payloadFacts,
    event_type: Literals(['transfer.started', 'transfer.complete', 'transfer.error']),
    object: TransferObject,
    custom_webhook_id: Id,
  },
  { title: 'TransferWebhookPayload' },
);

/** The body that a webhook receives of a virus. */
const VirusPayload = Type.Object(
  { ...payloadFacts, event_type: Type.Literal('package.virus_found'), object: VirusObject, custom_webhook_id: Id },
  { title: 'VirusWebhookPayload' },
);

/** The body that a webhook receives once all files of a package were scanned. */
const ScanPayload = Type.Object(
  { ...payloadFacts, event_type: Type.Literal('package.scanned'), object: ScanObject, custom_webhook_id: Id },
  { title: 'ScanWebhookPayload' },
);

/** The body of an event of a limit. */
const QuotaPayload = Type.Object(
  { ...payloadFacts, event_type: Type.Literal('quota.warning'), object: QuotaObject, custom_webhook_id: Id },
  { title: 'QuotaWebhookPayload' },
);
export type WebhookPayload =
  | Static<typeof PackagePayload>
  | Static<typeof NoticePayload>
  | Static<typeof TransferPayload>
  | Static<typeof QuotaPayload>
  | Static<typeof VirusPayload>
  | Static<typeof ScanPayload>;

/** The requests to a webhook's address, by event: the contract of the receiver. */
export const webhookCalls: Readonly<Record<(typeof webhookEvents)[number], OutboundCall>> = (() => {
  const common = {
    // Or PUT, if the webhook is configured so: OpenAPI allows one path item per name.
    method: 'POST',
    headers: [
      { name: 'webhook-id', description: "The event's id, the same at each attempt: by it a receiver knows an event that it has had." },
      { name: 'webhook-timestamp', description: 'When this attempt was made, in seconds since 1970.' },
      {
        name: 'webhook-signature',
        description: "Standard Webhooks: `v1,` and the HMAC-SHA256 of `id.timestamp.body` under the webhook's secret, in base64.",
      },
    ],
    body: PackagePayload,
  } as const;
  const ofNotice = { ...common, body: NoticePayload } as const;
  const ofTransfer = { ...common, body: TransferPayload } as const;
  return {
    'package.created': { ...common, summary: 'A package was made. Its `size` and `total_files` are 0 yet.' },
    'package.finalized': { ...common, summary: 'A package is complete.' },
    'package.downloaded': { ...ofNotice, summary: 'A download of a package has begun, for the first time by this link.' },
    'package.expires': { ...ofNotice, summary: 'A package expires within 24 hours.' },
    'package.failed': {
      ...ofNotice,
      summary: 'A transfer of a package failed, or the mail with one of its links could not be delivered, and `failure` says why.',
    },
    'package.virus_found': { ...common, body: VirusPayload, summary: 'A virus was found in a file of a package, for the first time.' },
    'package.scanned': {
      ...common,
      body: ScanPayload,
      summary: 'All files of a package were scanned for viruses, but for those that cannot be.',
    },
    'transfer.started': { ...ofTransfer, summary: 'A transfer to connected storage moves, for the first time.' },
    'transfer.complete': { ...ofTransfer, summary: 'All that a transfer was to bring has arrived.' },
    'transfer.error': { ...ofTransfer, summary: 'A transfer failed, and `error` says why. It is not tried again by itself.' },
    'quota.warning': { ...common, body: QuotaPayload, summary: 'Most of what a Team or a Portal may use is used, or all of it.' },
  };
})();

const WebhookParams = Type.Object({ custom_webhook_id: Id });
const common = { tag: 'Webhooks', credentials: teamCredentials, errors: teamErrors } as const;
const example = { active: true, events: ['package.finalized'], method: 'POST', url: 'https://hooks.example.com/longshore', name: 'Ingest' };

export const webhookRoutes = defineRoutes({
  createWebhook: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/custom_webhooks',
    summary: 'Makes a webhook. It is used once it is attached to a Portal, or at once with the scope `team`.',
    params: TeamParams,
    body: WebhookRequest,
    reply: { status: 201, body: CreatedWebhook },
    errors: [...teamErrors, 'over_limit'],
    example,
  },
  updateWebhook: {
    ...common,
    method: 'PUT',
    path: '/v1/custom_webhooks/{custom_webhook_id}',
    summary: 'Changes a webhook. The body is the whole of it: what it leaves out is unset. Another `url` gets another `secret`.',
    params: WebhookParams,
    body: WebhookRequest,
    reply: { status: 200, body: ChangedWebhook },
    example: { ...example, active: false },
  },
  renewWebhookSecret: {
    ...common,
    method: 'POST',
    path: '/v1/custom_webhooks/{custom_webhook_id}/secret',
    summary: 'Gives a webhook another secret. The one before signs nothing any more.',
    params: WebhookParams,
    reply: { status: 200, body: Type.Object({ secret: { ...Secret, description: 'Shown here only.', examples: ['whsec_…'] } }) },
  },
  testWebhook: {
    ...common,
    method: 'POST',
    path: '/v1/custom_webhooks/{custom_webhook_id}/test',
    summary: 'Sends a made-up event to a webhook, once, also where it is turned off. `test` in its body says that nothing happened.',
    params: WebhookParams,
    body: Type.Object({ event_type: WebhookEvent }),
    reply: { status: 202, body: QueuedDelivery },
    example: { event_type: 'package.finalized' },
  },
  replayWebhookDelivery: {
    ...common,
    method: 'POST',
    path: '/v1/custom_webhooks/{custom_webhook_id}/deliveries/{delivery_id}/replay',
    summary: 'Sends the event of a delivery again, at once and as it was, under the same `webhook-id`.',
    params: Type.Object({ custom_webhook_id: Id, delivery_id: Id }),
    reply: { status: 202, body: QueuedDelivery },
    errors: [...teamErrors, 'state_conflict'],
  },
  deleteWebhook: {
    ...common,
    method: 'DELETE',
    path: '/v1/custom_webhooks/{custom_webhook_id}',
    summary: 'Deletes a webhook. Deliveries in progress finish normally.',
    params: WebhookParams,
    reply: { status: 204 },
  },
  listWebhooks: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/custom_webhooks',
    summary: 'Lists the webhooks of a Team, with the number of Portals each is attached to.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(ListedWebhook) },
  },
  listPackageDeliveries: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/packages/{package_id}/webhook_deliveries',
    summary: 'Lists the last attempts to tell webhooks of a package that the caller sees, newest first.',
    params: Type.Object({ team_id: Id, package_id: Id }),
    reply: { status: 200, body: Type.Array(PackageDelivery) },
  },
  listWebhookDeliveries: {
    ...common,
    method: 'GET',
    path: '/v1/custom_webhooks/{custom_webhook_id}/deliveries',
    summary: 'Lists the last attempts at delivery, newest first.',
    params: WebhookParams,
    reply: { status: 200, body: Type.Array(WebhookDelivery) },
  },
});
