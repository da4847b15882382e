/**
 * A service's address as a person types it, in full and without a slash at the end: `share.example.com` becomes
 * `https://share.example.com`. Null where it is none.
 */
export function serviceAddress(typed: string): string | null {
  const text = typed.trim();
  if (text === '') return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (url.username || url.password || url.search || url.hash || !/[a-z0-9]/i.test(url.hostname)) return null;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether what goes there can be read on the way: plain HTTP beyond this machine. */
export function isOpenToReaders(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

/** A service as a person knows it: without the scheme that all of them have. */
export const serviceName = (address: string): string => address.replace(/^https:\/\//, '');
