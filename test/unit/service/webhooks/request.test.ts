import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { WebhookEvent } from '#service/jobs/kinds.ts';
import { webhookRequest } from '#service/webhooks/request.ts';

const event: WebhookEvent = {
  event_id: '019aa000-0000-7000-8000-000000000001',
  event_time: '2026-11-20T18:04:11.000Z',
  event_type: 'package.finalized',
  object: {
    type: 'package',
    id: '019aa000-0000-7000-8000-000000000002',
    name: 'Tag 12 · äöü',
    portal_id: '019aa000-0000-7000-8000-000000000003',
    sender: 'mia@example.com',
    size: 12,
    state: 'finalized',
    total_files: 3,
    created_at: '2026-11-20T18:00:00.000Z',
    updated_at: '2026-11-20T18:04:11.000Z',
  },
};
const receiver = {
  id: '019aa000-0000-7000-8000-000000000004',
  url: 'https://hooks.example.com/a',
  method: 'PUT' as const,
  headers: { Authorization: 'Bearer abc', 'CONTENT-TYPE': 'application/vnd.studio+json' },
  bodyExtras: { project: 'northlight', event_id: 'not this one' },
  secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

describe('webhookRequest', () => {
  it("has the contract's body, the webhook's own headers, and a signature that the standard's library accepts", () => {
    const at = new Date();
    const { url, method, headers, body } = webhookRequest(receiver, event, at);
    expect([url, method]).toEqual(['https://hooks.example.com/a', 'PUT']);
    expect(headers).toEqual({
      Authorization: 'Bearer abc',
      'CONTENT-TYPE': 'application/vnd.studio+json',
      'user-agent': 'Longshore-Webhooks',
      'webhook-id': event.event_id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(new Webhook(receiver.secret).verify(body, headers)).toEqual({
      ...event,
      body_extras: receiver.bodyExtras,
      custom_webhook_id: receiver.id,
    });
    for (const tampered of [body.replace('mia', 'eve'), `${body} `]) {
      expect(() => new Webhook(receiver.secret).verify(tampered, headers)).toThrow('No matching signature');
    }
    expect(() => new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).verify(body, headers)).toThrow('No matching signature');
  });

  it('is the same at every attempt except for its time', () => {
    const [one, two] = [new Date(0), new Date(3_600_000)].map((at) => webhookRequest(receiver, event, at));
    expect(two!.body).toBe(one!.body);
    expect(two!.headers['webhook-id']).toBe(one!.headers['webhook-id']);
    expect(two!.headers['webhook-timestamp']).toBe('3600');
    expect(two!.headers['webhook-signature']).not.toBe(one!.headers['webhook-signature']);
  });
});
