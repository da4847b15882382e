import { useQuery } from '@tanstack/react-query';
import { useApp } from '../app/context.ts';
import { useStatus } from '../session/queries.ts';

/** The services that the agent works with: its own, and those of its sessions. Null until that is known. */
export function useKnownServices(): readonly string[] | null {
  const { client } = useApp();
  const status = useStatus();
  const sessions = useQuery({
    queryKey: ['open', 'sessions'],
    queryFn: ({ signal }) => client.call('listSessions', { signal }),
    // Asked anew for each address: somebody may have signed in since the last.
    staleTime: 0,
  });
  if (status.isPending || sessions.isPending) return null;
  // What cannot be read is not known: the person is warned rather than not.
  return [status.data?.service_url ?? '', ...(sessions.data ?? []).map((one) => one.service_url)];
}
