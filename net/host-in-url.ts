/** A host as an address contains it: an IPv6 address has brackets there. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The host by which programs of this machine reach a server that listens on `host`, as an address contains it. */
export function localHostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  return hostInUrl(host === '::' ? '::1' : host);
}
