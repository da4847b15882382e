export interface PlaceOfPage {
  readonly subdomain: string;
  /** Of the service, without a slash at the end. */
  readonly baseUrl: string;
}

/**
 * What the page's address says: `{base}/p/{subdomain}`, or `{subdomain}.{base domain}/`, where the service gives this page
 * under no other name. Null where it says nothing.
 */
export function placeOfPage({ origin, hostname, pathname }: URL): PlaceOfPage | null {
  const found = /^(.*)\/p\/([a-z0-9-]{3,53})\/?$/.exec(pathname);
  if (found) return { subdomain: found[2]!, baseUrl: origin + found[1]! };
  const own = pathname === '/' ? /^([a-z0-9-]{3,53})\.[^.]/.exec(hostname) : null;
  return own ? { subdomain: own[1]!, baseUrl: origin } : null;
}
