import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id, Literals, Name, names, Secret } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';
import { PackageState } from './packages.ts';

/** Outbound webhooks: interface §2 "Custom webhook", §4.10, §6; decisions "Webhooks". */

export const webhookEvents = ['package.created', 'package.finalized'] as const;
const WebhookEvent = Literals(webhookEvents);

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
  url: Url,
};
export const Webhook = Type.Object(facts, { title: 'Webhook' });
export type Webhook = Static<typeof Webhook>;

export const ListedWebhook = Type.Object(
  { ...facts, connections: Type.Integer({ minimum: 0, description: 'The number of Portals it is attached to.' }) },
  { title: 'ListedWebhook' },
);
export type ListedWebhook = Static<typeof ListedWebhook>;

/** What the create call alone returns: the webhook with the secret that its requests are signed with. */
export const CreatedWebhook = Type.Object(
  { ...facts, secret: { ...Secret, description: 'Signs the requests (Standard Webhooks). Shown here only.', examples: ['whsec_…'] } },
  { title: 'CreatedWebhook' },
);
export type CreatedWebhook = Static<typeof CreatedWebhook>;

export const WebhookRequest = Type.Object({
  active: Type.Boolean(),
  events: Events,
  method: Literals(['POST', 'PUT']),
  url: Url,
  name: Type.Optional(Name),
  headers: Type.Optional(Headers),
  body_extras: Type.Optional(Extras),
});
export type WebhookRequest = Static<typeof WebhookRequest>;

/** One attempt's outcome, newest first in the list. */
export const WebhookDelivery = Type.Object(
  {
    id: Id,
    event_id: Id,
    event_type: WebhookEvent,
    attempt: Type.Integer({ minimum: 1, maximum: limits.webhookAttempts }),
    state: Literals(['delivered', 'failed', 'gave_up']),
    status: Type.Integer({ minimum: 0, description: "The answer's HTTP status; 0 if there was none.", examples: [200] }),
    error: Type.String({ description: 'Why it failed, in words; empty if it did not.', examples: [''] }),
    milliseconds: Type.Integer({ minimum: 0 }),
    created_at: DateTime,
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** The body that a webhook receives. */
export const WebhookPayload = Type.Object(
  {
    event_id: Id,
    event_time: DateTime,
    event_type: WebhookEvent,
    body_extras: Extras,
    object: Type.Object({
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
    }),
    custom_webhook_id: Id,
  },
  { title: 'WebhookPayload' },
);
export type WebhookPayload = Static<typeof WebhookPayload>;

const WebhookParams = Type.Object({ custom_webhook_id: Id });
const common = { tag: 'Webhooks', credentials: teamCredentials, errors: teamErrors } as const;
const example = { active: true, events: ['package.finalized'], method: 'POST', url: 'https://hooks.example.com/longshore', name: 'Ingest' };

export const webhookRoutes = defineRoutes({
  createWebhook: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/custom_webhooks',
    summary: 'Makes a webhook. It is used once it is attached to a Portal.',
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
    summary: 'Changes a webhook. The body is the whole of it: what it leaves out is unset.',
    params: WebhookParams,
    body: WebhookRequest,
    reply: { status: 200, body: Webhook },
    example: { ...example, active: false },
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
  listWebhookDeliveries: {
    ...common,
    method: 'GET',
    path: '/v1/custom_webhooks/{custom_webhook_id}/deliveries',
    summary: 'Lists the last attempts at delivery, newest first.',
    params: WebhookParams,
    reply: { status: 200, body: Type.Array(WebhookDelivery) },
  },
});
