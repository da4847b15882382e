import { describe, expect, it } from 'vitest';
import type { WebhookRequest } from '#protocol/hosted/webhooks.ts';
import { checkWebhook } from '#service/webhooks/rules.ts';

const request = (changes: Partial<WebhookRequest>): WebhookRequest => ({
  active: true,
  events: ['package.created'],
  method: 'POST',
  url: 'https://hooks.example.com/',
  ...changes,
});

describe('checkWebhook', () => {
  it.each(['https://hooks.example.com/a?b=c', 'http://hooks.example.com:8080', 'https://[2606:4700::1]/', 'https://müller.example/'])(
    'takes %s',
    (url) => {
      expect(checkWebhook(request({ url })).href).toBe(new URL(url).href);
    },
  );
  it.each([
    ['https://', 'not an address'],
    ['http://a b/', 'not an address'],
    ['http://[::1', 'not an address'],
    ['https://x:99999/', 'not an address'],
    ['https://mia:hidden@example.com/', 'put credentials in headers'],
    ['https://mia@example.com/', 'put credentials in headers'],
  ])('refuses %s', (url, detail) => expect(() => checkWebhook(request({ url }))).toThrow(detail));

  it('accepts headers that the Team may set', () => {
    const headers = {
      Authorization: 'Bearer abc',
      'X-Studio': 'north light\t',
      'Content-Type': 'application/cloudevents+json',
      'user-agent': '',
    };
    expect(() => checkWebhook(request({ headers }))).not.toThrow();
  });
  it.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'CONNECTION',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
    'Keep-Alive',
    'Date',
    'Webhook-Id',
    'webhook-signature',
    'webhook-timestamp',
    'Webhook-Anything',
    'Proxy-Authorization',
  ])('refuses %s, which the service sets itself', (name) => {
    expect(() => checkWebhook(request({ headers: { [name]: 'hidden' } }))).toThrow(`headers: "${name}" is set by the service itself.`);
  });
  it.each(['', 'a b', 'a:b', 'a\nb', 'ä', 'a\0', '(a)'])('refuses the name %j', (name) => {
    expect(() => checkWebhook(request({ headers: { [name]: 'x' } }))).toThrow("is not a header's name");
  });
  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a\rb', '\0', '\u007f', 'ü', '\u0085', '\ud800'])(
    'refuses the value %j, without telling it',
    (value) => {
      expect(() => checkWebhook(request({ headers: { 'X-A': value } }))).toThrow(
        'headers: the value of "X-A" must be one line of ASCII text.',
      );
    },
  );
  it('refuses duplicate headers, and headers that are too long together', () => {
    expect(() => checkWebhook(request({ headers: { 'X-A': '1', 'x-a': '2' } }))).toThrow('"x-a" stands there twice');
    const headers = { A: 'x'.repeat(4096), B: 'x'.repeat(4096) };
    expect(() => checkWebhook(request({ headers }))).toThrow('together they are longer than 8192 bytes');
  });
});
