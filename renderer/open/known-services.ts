import { useQuery } from '@tanstack/react-query';
import { useApp } from '../app/context.ts';
import { useStatus } from '../session/queries.ts';

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
