import { BlockList, isIP } from 'node:net';

/**
 * IPv4 networks that are not public: loopback, private, link-local (cloud metadata), multicast and reserved, from the
 * IANA special-purpose registries. For IPv6 also forms that contain an IPv4 address (mapped, 6to4, NAT64, Teredo).
 */
const ipv4Private: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** In IPv6 only 2000::/3 is public, except these parts of it. */
const ipv6Private: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const blocked = new BlockList();
for (const [network, prefix] of ipv4Private) blocked.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of ipv6Private) blocked.addSubnet(network, prefix, 'ipv6');
const ipv6Public = new BlockList();
ipv6Public.addSubnet('2000::', 3, 'ipv6');

/** Whether a text is a public IP address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !blocked.check(address, 'ipv4');
  return version === 6 && ipv6Public.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
}

/** The IP address in a URL's host, without brackets; null if the host is a name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}
