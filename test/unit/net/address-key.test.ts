import { expect, test } from 'vitest';
import { addressKeyOf } from '#net/address-key.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7::/64'],
  ['2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:db8:0:7::/64'],
  ['2001:db8:0:8::1', '2001:db8:0:8::/64'],
  ['2001:0DB8::7', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['192.0.2.777', null],
  ['1::2::3', null],
  ['nonsense', null],
  ['', null],
  [undefined, null],
])('%s counts as %s', (address, peer) => expect(addressKeyOf(address)).toBe(peer));
