import { useQuery } from '@tanstack/react-query';
import { useApp } from '../app/context.ts';
import { useStatus } from '../session/queries.ts';

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

/** The agent's services: its own, and those of its sessions. Null while loading. */
export function useKnownServices(): readonly string[] | null {
  const { client } = useApp();
  const status = useStatus();
  const sessions = useQuery({
    queryKey: ['open', 'sessions'],
    queryFn: ({ signal }) => client.call('listSessions', { signal }),
    // Read again for each address, since somebody may have signed in meanwhile.
    staleTime: 0,
  });
  if (status.isPending || sessions.isPending) return null;
  // If reading fails, the service counts as unknown, so the person is warned.
  return [status.data?.service_url ?? '', ...(sessions.data ?? []).map((one) => one.service_url)];
}
