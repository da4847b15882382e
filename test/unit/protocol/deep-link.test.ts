import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DeepLink, deepLinkLength, openPlace, parseDeepLink } from '#protocol/deep-link.ts';
import { anyCharacter } from '#test/support/any-text.ts';
import { handOverAddress } from '#web/portal/page/hand-over-address.ts';

const ask = (request: string, fields: Record<string, string> | [string, string][]): string =>
  `longshore://${request}?${new URLSearchParams(fields)}`;
const linkOf = (address: string): DeepLink | null => {
  const parsed = parseDeepLink(address);
  return 'link' in parsed ? parsed.link : null;
};
const faultOf = (address: string): unknown => {
  const parsed = parseDeepLink(address);
  return 'fault' in parsed ? ('name' in parsed ? [parsed.fault, parsed.name] : parsed.fault) : null;
};

const portal = { service: 'https://files.example.com', portal: 'northlight' };
const secretLink = 'https://files.example.com/d/01JD3?secret=abcdefgh';

describe('parseDeepLink', () => {
  it('reads what the upload page hands over', () => {
    const facts = { name: 'Dailies, day 12 & 13', sender: 'mia@example.com', description: 'A and B camera\n100 % ü + ?' };
    expect(linkOf(handOverAddress({ baseUrl: 'https://files.example.com/share', subdomain: 'northlight', ...facts }))).toEqual({
      kind: 'portal_upload',
      service: 'https://files.example.com/share',
      portal: 'northlight',
      ...facts,
    });
  });

  it('reads a download with its link', () => {
    expect(linkOf(ask('download', { url: secretLink }))).toEqual({
      kind: 'download',
      url: secretLink,
      service: 'https://files.example.com',
    });
  });

  it('reads it as Windows passes it on, with a slash behind the request', () => {
    expect(linkOf(`longshore://download/?url=${encodeURIComponent(secretLink)}`)).not.toBeNull();
  });

  it.each([
    ['https://files.example.com/', 'https://files.example.com'],
    ['https://files.example.com/share/', 'https://files.example.com/share'],
    ['https://FILES.example.com:8443', 'https://files.example.com:8443'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    // What looks like another host is shown as what it is.
    ['https://раypal.example', 'https://xn--ypal-43d9g.example'],
  ])('takes the service %s as %s', (service, expected) => {
    expect(linkOf(ask('portal-upload', { ...portal, service }))).toMatchObject({ service: expected });
  });

  it.each([
    'http://files.example.com',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://10.0.0.7:8080',
    'ftp://files.example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://files.example.com@evil.example',
    'https://user:pass@files.example.com',
    'https://files.example.com/?x=1',
    'https://files.example.com/#x',
    'https://files.example.com/\u202egro.evil',
    `https://files.example.com/${'x'.repeat(2_048)}`,
    'files.example.com',
  ])('takes no service at %s', (service) => {
    expect(faultOf(ask('portal-upload', { ...portal, service }))).toEqual(['bad_field', 'service']);
  });

  it.each([
    'http://files.example.com/d/1?secret=x',
    'https://files.example.com/d/1',
    'https://files.example.com/d/1?secret=',
    'https://files.example.com/download/1?secret=x',
    'https://a:b@files.example.com/d/1?secret=x',
    `https://files.example.com/d/1?secret=${'x'.repeat(4_096)}`,
    '/d/1?secret=x',
  ])('takes no download link %s', (url) => {
    expect(faultOf(ask('download', { url }))).toEqual(['bad_field', 'url']);
  });

  it.each([
    ['', 'not_an_address'],
    ['longshore', 'not_an_address'],
    ['https://files.example.com', 'not_an_address'],
    ['longshore:download?url=x', 'not_an_address'],
    ['longshore://user@download?url=x', 'not_an_address'],
    ['longshore://download:80?url=x', 'not_an_address'],
    ['longshore://download/more?url=x', 'not_an_address'],
    ['longshore://download?url=x#more', 'not_an_address'],
    [`longshore://download?url=${'x'.repeat(deepLinkLength)}`, 'too_long'],
    ['longshore://settings?limit=1', 'unknown_request'],
    ['longshore://DOWNLOADS?url=x', 'unknown_request'],
    ['longshore://download', ['missing_field', 'url']],
    [ask('portal-upload', { service: portal.service }), ['missing_field', 'portal']],
    [ask('portal-upload', { portal: portal.portal }), ['missing_field', 'service']],
    [ask('portal-upload', { ...portal, paths: '/etc' }), ['unknown_field', 'paths']],
    [ask('portal-upload', { ...portal, '<script>': '1' }), ['unknown_field', 'script']],
    [ask('portal-upload', { ...portal, constructor: '1' }), ['unknown_field', 'constructor']],
    [ask('portal-upload', [...Object.entries(portal), ['portal', 'other']]), ['bad_field', 'portal']],
    [ask('portal-upload', { ...portal, portal: 'North/../light' }), ['bad_field', 'portal']],
    [ask('portal-upload', { ...portal, name: 'x'.repeat(256) }), ['bad_field', 'name']],
    [ask('portal-upload', { ...portal, name: 'a\u202eb' }), ['bad_field', 'name']],
    [ask('portal-upload', { ...portal, sender: 'x'.repeat(255) }), ['bad_field', 'sender']],
    [ask('portal-upload', { ...portal, description: 'x'.repeat(10_001) }), ['bad_field', 'description']],
    [ask('portal-upload', { ...portal, description: '\u001b[2J' }), ['bad_field', 'description']],
  ])('says what is wrong with %.60s', (address, expected) => {
    expect(faultOf(address)).toEqual(expected);
  });

  it('never throws, and what it takes has only services that may be asked', () => {
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.webUrl({ withQueryParameters: true }),
      fc.string().map((text) => `longshore://${text}`),
      fc
        .dictionary(fc.constantFrom('service', 'portal', 'name', 'url', 'x'), fc.oneof(fc.webUrl(), fc.string()))
        .map((fields) => ask('portal-upload', fields)),
      fc.webUrl().map((url) => ask('download', { url: `${url}/d/1?secret=2` })),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const link = linkOf(text);
        if (link) expect(link.service).toMatch(/^(https:\/\/|http:\/\/(localhost|127\.\d|\[::1\]))/);
      }),
    );
  });
});

it('the place in the agent’s page carries the whole address', () => {
  const address = ask('download', { url: secretLink });
  const place = openPlace(address);
  expect(place).toMatch(/^#\/open\?address=[\w%.!~*'()-]+$/);
  expect(new URLSearchParams(place.slice(place.indexOf('?'))).get('address')).toBe(address);
});
