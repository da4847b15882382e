import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, literalAddress } from '#net/public-addresses.ts';

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001::8',
    '2001:4860:4860::8888',
  ])('%s is', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1', 'fec0::1'],
    ['link-local, cloud metadata', '169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1', 'fd00:ec2::254'],
    ['shared by a provider', '100.64.0.1', '100.127.255.255'],
    ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    [
      'reserved, tests and examples',
      '192.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '240.0.0.1',
      '2001:db8::1',
      '3fff::1',
      '100::1',
    ],
    [
      'IPv4 within IPv6',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::127.0.0.1',
      '::ffff:7f00:1',
      '2002:7f00:1::',
      '2002:808:808::1',
      '64:ff9b::7f00:1',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::1',
      '2001::1',
      '2001:0:7f00:1::',
    ],
    ['no address', '', 'localhost', '127.1', '0x7f.1', '1.1.1.1.', 'fe80::1%eth0x y'],
  ])('%s is not', (_, ...addresses) => {
    for (const address of addresses) expect([address, isPublicAddress(address)]).toEqual([address, false]);
  });

  it('holds for all of what is private, and for no IPv4 address within IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b] = address.split('.').map(Number) as [number, number];
        const surelyPrivate = a === 0 || a === 10 || a === 127 || a >= 224 || (a === 192 && b === 168) || (a === 169 && b === 254);
        if (surelyPrivate) expect(isPublicAddress(address)).toBe(false);
        expect(isPublicAddress(`::ffff:${address}`)).toBe(false);
        expect(isPublicAddress(`64:ff9b::${address}`)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (isPublicAddress(address)) expect(['2', '3']).toContain(new URL(`http://[${address}]`).hostname[1]);
      }),
    );
  });
});

describe('literalAddress', () => {
  it.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1:8080/', '127.0.0.1'],
    ['http://127.1./', '127.0.0.1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
    ['https://[::1]:8443/x', '::1'],
    ['https://[::ffff:169.254.169.254]/', '::ffff:a9fe:a9fe'],
    ['https://hooks.example.com/', null],
    ['https://localhost/', null],
  ])('of %s is %s', (url, address) => expect(literalAddress(new URL(url))).toBe(address));
});
