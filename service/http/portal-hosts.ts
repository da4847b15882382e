import { StartError } from '../start-error.ts';

/** Returns the subdomain of the Portal for a `Host` header (a port may follow), or null if it is no Portal's. */
export type PortalHosts = (host: string) => string | null;

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
/** Browsers resolve every name below `localhost` to their own machine. */
const domain = new RegExp(`^((${label}\\.)+${label}|localhost)$`);
/** The same rule as for Portals (protocol/hosted/portals.ts). */
const subdomain = /^[a-z0-9-]{3,53}$/;

/**
 * Portals at `{subdomain}.{base domain}`. The service's own names are never Portals, even below the base domain.
 * Without a base domain there are none. Throws `StartError` for an invalid domain.
 */
export function portalHosts(baseDomain: string | undefined, own: readonly string[]): PortalHosts {
  if (baseDomain === undefined) return () => null;
  const base = baseDomain.toLowerCase();
  if (!domain.test(base)) {
    throw new StartError(
      'option_invalid',
      `${baseDomain} is no domain that Portals can have names in. Give it like --base-domain example.com.`,
    );
  }
  const taken = new Set(own.map((address) => new URL(address).hostname));
  return (host) => {
    const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
    if (!name.endsWith(`.${base}`) || taken.has(name)) return null;
    const found = name.slice(0, -base.length - 1);
    return subdomain.test(found) ? found : null;
  };
}
