import { Webhook as Signer } from 'standardwebhooks';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import { traceparentName } from '#protocol/trace-context.ts';
import type { OutboundRequest } from '../http/outbound.ts';
import type { WebhookEvent } from '../jobs/kinds.ts';

interface Receiver {
  readonly id: string;
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyExtras: Readonly<Record<string, string>>;
  /** `whsec_…` */
  readonly secret: string;
}

/**
 * The request that delivers an event (contract/webhooks.md §2), signed according to Standard Webhooks. `webhook-id` is
 * the event's id, the same at every attempt, so that receivers can detect duplicates. The timestamp is the attempt's.
 * `traceparent` leads back to the call that caused it.
 */
export function webhookRequest(receiver: Receiver, event: WebhookEvent, at: Date, traceparent?: string): OutboundRequest {
  const payload = {
    event_id: event.event_id,
    event_time: event.event_time,
    event_type: event.event_type,
    body_extras: receiver.bodyExtras,
    object: event.object,
    ...(event.test && { test: true }),
    custom_webhook_id: receiver.id,
  } as WebhookPayload;
  const body = JSON.stringify(payload);
  const own = new Set(Object.keys(receiver.headers).map((name) => name.toLowerCase()));
  const usual = { 'content-type': 'application/json', 'user-agent': 'Longshore-Webhooks' };
  return {
    url: receiver.url,
    method: receiver.method,
    headers: {
      ...Object.fromEntries(Object.entries(usual).filter(([name]) => !own.has(name))),
      ...(traceparent !== undefined && !own.has(traceparentName) && { [traceparentName]: traceparent }),
      ...receiver.headers,
      'webhook-id': event.event_id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Signer(receiver.secret).sign(event.event_id, at, body),
    },
    body,
  };
}
