import { BlockList, isIP } from 'node:net';

/**
 * Which addresses of the network are nobody's but the operator's: loopback, private, link-local (where clouds keep
 * their metadata), multicast, reserved, and IPv6 forms that carry an IPv4 address within (mapped, 6to4, NAT64,
 * Teredo). By the IANA special-purpose registries.
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

/** Of IPv6 only 2000::/3 is the public network; these parts of it are not. */
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

/** Whether an IP address is one of the public network. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !blocked.check(address, 'ipv4');
  return version === 6 && ipv6Public.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
}

/** The IP address that a URL's host is by itself, without brackets; null if it is a name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}
