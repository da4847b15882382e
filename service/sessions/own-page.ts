type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Sent by the service's own pages with each call. No other origin may send it without asking first, and none is allowed to. */
export const ownPageHeader = 'x-longshore-page';

/**
 * Whether a call comes from a page of this service's own origin, so that a cookie may stand for its user. Other pages of
 * the same site (a Portal's own host, say) would get the cookie sent along, too (contract/users-and-auth.md §6).
 */
export function isFromOwnPage(headers: Headers, publicOrigin: string): boolean {
  if (headers[ownPageHeader] !== '1') return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return origin === undefined || origin === publicOrigin;
}
