import type { WebhookRequest } from '#protocol/hosted/webhooks.ts';

export type WebhookEventName = WebhookRequest['events'][number];

/** In the order in which they happen. The types hold it to the contract. */
const all: Readonly<Record<WebhookEventName, true>> = {
  'package.created': true,
  'package.finalized': true,
  'package.downloaded': true,
  'package.expires': true,
  'package.failed': true,
  'transfer.started': true,
  'transfer.complete': true,
  'transfer.error': true,
  'package.virus_found': true,
  'package.scanned': true,
  'quota.warning': true,
};
export const webhookEventNames = Object.keys(all) as readonly WebhookEventName[];
