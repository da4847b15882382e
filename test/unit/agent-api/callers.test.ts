import { describe, expect, it } from 'vitest';
import { hostName, isLoopback, judgeCaller } from '#agent-api/callers.ts';

const loopback = { loopback: true, hosts: [] };
const beyond = { loopback: false, hosts: ['studio-mac', 'agent.example.com'] };

describe('the host of a Host header', () => {
  it.each<[string, string | null]>([
    ['localhost', 'localhost'],
    ['LOCALHOST:8090', 'localhost'],
    ['127.0.0.1:8090', '127.0.0.1'],
    ['[::1]:8090', '::1'],
    ['[::1]', '::1'],
    ['studio-mac.local:1', 'studio-mac.local'],
    ['', null],
    ['localhost:', null],
    ['localhost:99999', null],
    ['localhost:80:80', null],
    ['localhost@evil.example', null],
    ['evil.example/localhost', null],
    ['localhost evil.example', null],
    ['localhost\u0000.evil.example', null],
    ['::1', null],
    ['[::1', null],
    ['[evil]', null],
    ['[::1].evil.example', null],
  ])('%j is %j', (header, expected) => {
    expect(hostName(header)).toBe(expected);
  });
});

describe('loopback', () => {
  it.each(['localhost', '127.0.0.1', '127.8.9.10', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])('%s is this machine', (host) => {
    expect(isLoopback(host)).toBe(true);
  });
  it.each(['127.0.0.1.evil.example', '127.evil.example', '0.0.0.0', '10.0.0.1', '::2', '::ffff:10.0.0.1', 'localhost.evil.example', ''])(
    '%j is not',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('who may call an agent that listens on loopback', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['a program', 'localhost:8090', undefined],
    ['a program by address', '127.0.0.1:8090', undefined],
    ['its own page', 'localhost:8090', 'http://localhost:8090'],
    ['its own page by IPv6', '[::1]:8090', 'http://[::1]:8090'],
    ['its own page behind a forwarded port', 'localhost:9999', 'http://localhost:9999'],
    ['its own page, written large', 'LocalHost:8090', 'http://localhost:8090'],
  ])('%s may', (_, host, origin) => {
    expect(judgeCaller({ host, origin }, loopback)).toEqual({ allowed: true });
  });

  it.each<[string, string | undefined]>([
    ['a name that was bound to 127.0.0.1', 'evil.example:8090'],
    ['a name that begins well', 'localhost.evil.example:8090'],
    ['a name that ends well', 'evil-localhost:8090'],
    ['an address beyond loopback', '192.168.1.20:8090'],
    ['a name of a wider agent', 'studio-mac:8090'],
    ['nothing', undefined],
    ['an empty host', ''],
    ['0.0.0.0', '0.0.0.0:8090'],
  ])('not under %s', (_, host) => {
    expect(judgeCaller({ host, origin: undefined }, loopback)).toMatchObject({ allowed: false, error: 'unknown_host' });
  });

  it.each<[string, string]>([
    ['a web page', 'https://evil.example'],
    ['another local server', 'http://localhost:3000'],
    ['the same name by TLS', 'https://localhost:8090'],
    ['another spelling of this machine', 'http://127.0.0.1:8090'],
    ['a sandboxed frame or a file', 'null'],
    ['an extension', 'chrome-extension://abcdef'],
    ['an empty origin', ''],
    ['a longer port', 'http://localhost:80901'],
  ])('not from %s', (_, origin) => {
    expect(judgeCaller({ host: 'localhost:8090', origin }, loopback)).toMatchObject({ allowed: false, error: 'foreign_origin' });
  });

  it.each<[string, string, boolean]>([
    ['cross-site', 'no-cors', false],
    ['cross-site', 'cors', false],
    ['same-site', 'no-cors', false],
    ['cross-site', 'navigate', true],
    ['same-origin', 'cors', true],
    ['none', 'navigate', true],
  ])('a browser that says %s, %s: %s', (secFetchSite, secFetchMode, allowed) => {
    const headers = { host: 'localhost:8090', origin: undefined, secFetchSite, secFetchMode };
    expect(judgeCaller(headers, loopback).allowed).toBe(allowed);
  });

  it.each<[string, boolean, boolean]>([
    ['document', false, true],
    ['document', true, false],
    ['iframe', false, false],
    ['object', false, false],
  ])('a foreign page that leads to a %s, of the API %s: %s', (secFetchDest, api, allowed) => {
    const headers = { host: 'localhost:8090', origin: undefined, secFetchSite: 'cross-site', secFetchMode: 'navigate', secFetchDest, api };
    expect(judgeCaller(headers, loopback).allowed).toBe(allowed);
    // Typed by the person, or a link of our own page.
    for (const site of ['none', 'same-origin']) expect(judgeCaller({ ...headers, secFetchSite: site }, loopback).allowed).toBe(true);
  });

  it('echoes a long header only in part', () => {
    const verdict = judgeCaller({ host: 'x'.repeat(5_000), origin: undefined }, loopback);
    expect(verdict).toMatchObject({ error: 'unknown_host' });
    expect(JSON.stringify(verdict).length).toBeLessThan(250);
  });
});

describe('who may call an agent that listens beyond loopback', () => {
  it.each(['localhost:8090', '192.168.1.20:8090', '[fe80::1]:8090', 'studio-mac:8090', 'Agent.Example.com:8090'])(
    '%s is its host',
    (host) => {
      expect(judgeCaller({ host, origin: undefined }, beyond)).toEqual({ allowed: true });
    },
  );
  it.each(['evil.example:8090', '192.168.1.20.evil.example'])('%s is not', (host) => {
    expect(judgeCaller({ host, origin: undefined }, beyond)).toMatchObject({ error: 'unknown_host' });
  });
  it('takes no foreign page either', () => {
    expect(judgeCaller({ host: '192.168.1.20:8090', origin: 'http://192.168.1.21:8090' }, beyond)).toMatchObject({
      error: 'foreign_origin',
    });
  });
});
