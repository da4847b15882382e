import { expect, test } from 'vitest';
import { createFindClientAddress } from '#net/client-address.ts';

test.each([
  ['nobody is believed unless named', undefined, '10.0.0.1', '192.0.2.1', '10.0.0.1'],
  ['a proxy is believed whom it speaks for', '10.0.0.1', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['what somebody claimed before the proxy is not', '10.0.0.0/8', '::ffff:10.0.0.1', '198.51.100.9, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
  ['a proxy that does not say is nobody', 'loopback, 10.0.0.1', '127.0.0.1', undefined, null],
  ['a chain of proxies alone is nobody', 'uniquelocal', '10.0.0.1', '10.0.0.2', null],
  ['others are not proxies', 'loopback', '192.0.2.1', '198.51.100.9', '192.0.2.1'],
  ['what is no address counts as nobody', 'loopback', '127.0.0.1', 'unknown', null],
])('%s', (_, proxies, remote, forwarded, peer) => expect(createFindClientAddress(proxies)(remote, forwarded)).toBe(peer));
