import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookError } from '#sdk/webhooks.ts';

const secret = `whsec_${Buffer.from('thirty-two bytes of a test alone').toString('base64')}`;
const sentAt = new Date('2026-11-22T12:00:00Z');
const now = () => sentAt.getTime() + 20_000;
const body = JSON.stringify({ event_id: 'e1', event_type: 'package.finalized', object: { name: 'Tag 12 – Hafen' } });
const genuine = (by = secret) => ({
  'webhook-id': 'e1',
  'webhook-timestamp': String(sentAt.getTime() / 1_000),
  'webhook-signature': new Webhook(by).sign('e1', sentAt, body),
});

describe('verifyWebhook', () => {
  it.each([
    ['headers of Node and bytes', genuine(), Buffer.from(body)],
    ['a Headers and text', new Headers(genuine()), body],
    [
      'one of several signatures',
      { ...genuine(), 'webhook-signature': `v1,${btoa('other')} v2,x ${genuine()['webhook-signature']}` },
      body,
    ],
  ])('returns the content of a genuine call with %s', async (_, headers, sent) => {
    expect(await verifyWebhook(headers, sent, secret, { now })).toEqual(JSON.parse(body));
  });

  it.each([
    ['a changed body', genuine(), body.replace('e1', 'e2'), /signature/],
    ['the secret of another webhook', genuine(`whsec_${btoa('another secret of thirty-two byt')}`), body, /signature/],
    ['a changed id', { ...genuine(), 'webhook-id': 'e2' }, body, /signature/],
    [
      'an unknown version of signatures',
      { ...genuine(), 'webhook-signature': genuine()['webhook-signature'].replace('v1,', 'v2,') },
      body,
      /signature/,
    ],
    ['a signature that is not base64', { ...genuine(), 'webhook-signature': 'v1,%%' }, body, /base64/],
    ['no signature', { ...genuine(), 'webhook-signature': undefined }, body, /no header webhook-signature/],
    ['a time that is no number', { ...genuine(), 'webhook-timestamp': 'now' }, body, /time/],
  ])('refuses %s', async (_, headers, sent, why) => {
    const refusal = await verifyWebhook(headers, sent, secret, { now }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(WebhookError);
    expect(refusal).toMatchObject({ message: expect.stringMatching(why) });
  });

  it.each([-301, 301])('refuses a call that is %d seconds away, unless the tolerance is larger', async (seconds) => {
    const later = () => sentAt.getTime() + seconds * 1_000;
    await expect(verifyWebhook(genuine(), body, secret, { now: later })).rejects.toThrow(/time/);
    await expect(verifyWebhook(genuine(), body, secret, { now: later, toleranceSeconds: 302 })).resolves.toMatchObject({ event_id: 'e1' });
  });
});
