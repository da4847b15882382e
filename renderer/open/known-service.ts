/**
 * Whether the agent works with this service. Both are addresses without a slash at the end. The path is part of a
 * service's address; the host is compared without regard to case.
 */
export function isKnownService(service: string, known: readonly string[]): boolean {
  const wanted = normal(service);
  return wanted !== null && known.some((one) => normal(one) === wanted);
}

function normal(address: string): string | null {
  const url = URL.parse(address);
  return url && url.origin + url.pathname.replace(/\/+$/, '');
}

/** Host and path of a service, for a person to compare. */
export function serviceName(service: string): string {
  return service.replace(/^https:\/\//, '');
}
