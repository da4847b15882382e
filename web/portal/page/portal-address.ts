export interface PortalAddress {
  readonly subdomain: string;
  /** The service's address without a slash at the end. */
  readonly baseUrl: string;
}

/**
 * Parses the page's address: `{base}/p/{subdomain}`, or `{subdomain}.{base domain}/`, where the service serves only
 * this page under that host. Null for any other address.
 */
export function parsePortalAddress({ origin, hostname, pathname }: URL): PortalAddress | null {
  const found = /^(.*)\/p\/([a-z0-9-]{3,53})\/?$/.exec(pathname);
  if (found) return { subdomain: found[2]!, baseUrl: origin + found[1]! };
  const own = pathname === '/' ? /^([a-z0-9-]{3,53})\.[^.]/.exec(hostname) : null;
  return own ? { subdomain: own[1]!, baseUrl: origin } : null;
}
