/**
 * A service's address in one spelling, without a slash at the end; null where a text is none. A path prefix is fine;
 * credentials, queries and fragments are not.
 */
export function serviceUrlOf(text: string): string | null {
  const url = URL.parse(text.trim());
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (url.username || url.password || url.search || url.hash) return null;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether two addresses mean one service. */
export function sameService(one: string, other: string): boolean {
  return one === other || (serviceUrlOf(one) ?? one) === (serviceUrlOf(other) ?? other);
}
