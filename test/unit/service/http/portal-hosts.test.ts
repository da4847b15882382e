import { describe, expect, it } from 'vitest';
import { portalHosts } from '#service/http/portal-hosts.ts';
import { StartError } from '#service/start-error.ts';

describe('a host', () => {
  const portalOf = portalHosts('Example.com', ['https://files.example.com:8443/api', 'http://storage.example.com']);

  it.each<[string, string | null]>([
    ['northlight.example.com', 'northlight'],
    ['NorthLight.Example.COM', 'northlight'],
    ['north-light.example.com:8080', 'north-light'],
    ['example.com', null],
    ['.example.com', null],
    ['ab.example.com', null],
    [`${'x'.repeat(54)}.example.com`, null],
    ['a.northlight.example.com', null],
    ['north_light.example.com', null],
    ['northlightexample.com', null],
    ['northlight.example.com.evil.test', null],
    ['northlight.example.com:', null],
    ['127.0.0.1:8080', null],
    ['', null],
    // The service's own names.
    ['files.example.com', null],
    ['files.example.com:9', null],
    ['storage.example.com', null],
  ])('%s stands for %s', (host, portal) => {
    expect(portalOf(host)).toBe(portal);
  });

  it('may be a subdomain of localhost, for a trial', () => {
    expect(portalHosts('localhost', ['http://127.0.0.1:8080'])('northlight.localhost:8080')).toBe('northlight');
  });

  it('is no Portal where there is no base domain', () => {
    expect(portalHosts(undefined, [])('northlight.example.com')).toBeNull();
  });

  it.each(['', 'com', 'https://example.com', 'example.com:80', '*.example.com', '.example.com', 'exa mple.com', 'example.com/p'])(
    '%j is no base domain',
    (domain) => {
      expect(() => portalHosts(domain, [])).toThrow(StartError);
    },
  );
});
