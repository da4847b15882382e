import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { ProviderError } from '../errors.ts';
import type { ProviderEnvironment } from '../ports.ts';

type AddressRule = Pick<ProviderEnvironment, 'mayConnect'>;

/** Like `dns.lookup` with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const refusal = (): ProviderError =>
  new ProviderError(
    'private_address',
    'The endpoint leads into a private network, which this service does not allow. Use a public address, or ask whoever operates the service to start it with --allow-private-connections.',
  );

/** A lookup whose addresses are all allowed: the one that is connected to is among them. */
export function checkedLookup({ mayConnect }: AddressRule, lookup: Lookup = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) callback(error, []);
      else if (addresses.length === 0 || !addresses.every(({ address }) => mayConnect(address))) callback(refusal(), []);
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

/** Throws `private_address` if the host is an IP address that is not allowed. Such a host causes no lookup. */
export function checkLiteralAddress(url: URL, { mayConnect }: AddressRule): void {
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !mayConnect(bare)) throw refusal();
}
