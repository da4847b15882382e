import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { webAddressPattern } from '../patterns.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals, Name, names, Secret } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { Extras, WebhookEvent, webhookEvents } from './webhook-events.ts';

/** Outbound webhooks: contract/webhooks.md §1. */

export const webhookScopes = ['portals', 'team'] as const;
const Scope = Literals(webhookScopes, {
  description:
    '`portals`: it hears of packages through Portals that it is attached to. `team`: of every package of the Team, through a Portal or not.',
  examples: ['portals'],
});

const Url = Type.String({
  pattern: webAddressPattern,
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
