/**
 * Whether a service is one that the agent works with. Both as addresses without a slash at the end; a path of its own
 * belongs to a service's address, and the letters of a host may be small or large.
 */
export function isKnownService(service: string, known: readonly string[]): boolean {
  const wanted = normal(service);
  return wanted !== null && known.some((one) => normal(one) === wanted);
}

function normal(address: string): string | null {
  const url = URL.parse(address);
  return url && url.origin + url.pathname.replace(/\/+$/, '');
}

/** Host and path of a service, as a person compares it. */
export function serviceName(service: string): string {
  return service.replace(/^https:\/\//, '');
}
