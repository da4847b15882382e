import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { addressKeyOf } from './address-key.ts';

/** Named ranges in a list of proxies, as in Fastify's `trustProxy`. */
const ranges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Converts an IPv4-mapped IPv6 address to the IPv4 address. */
const plain = (address: string): string => (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address);

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** Finds the client's address, by the connection's address and `X-Forwarded-For`. */
export type FindClientAddress = (remoteAddress: string | undefined, forwardedFor?: string | readonly string[]) => string | null;

/**
 * `proxies`: trusted proxies, comma-separated, as addresses, ranges and names of ranges. The address of a proxy itself
 * gives `null`, since its requests are from many clients.
 */
export function createFindClientAddress(proxies: string | undefined): FindClientAddress {
  const isProxy = createIsProxy(proxies);
  return (remoteAddress, forwardedFor) => {
    if (remoteAddress === undefined || !isProxy(remoteAddress)) return addressKeyOf(remoteAddress);
    const chain = [forwardedFor ?? []].flat().join(',').split(',');
    const sender = chain.reverse().find((address) => address.trim() !== '' && !isProxy(address.trim()));
    return sender === undefined ? null : addressKeyOf(sender.trim());
  };
}

/** Tells trusted proxies by their addresses. `proxies`: as above; none by default. */
export function createIsProxy(proxies: string | undefined): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of (proxies ?? '').split(',').flatMap((text) => ranges[text.trim()] ?? [text.trim()])) {
    const [address = '', bits] = entry.split('/');
    if (!isIPv4(address) && !isIPv6(address)) continue;
    if (bits === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(bits), familyOf(address));
  }
  return (given) => {
    const address = plain(given);
    return (isIPv4(address) || isIPv6(address)) && trusted.check(address, familyOf(address));
  };
}
