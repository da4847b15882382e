import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreateMount, Mount, UpdateMount } from '#protocol/agent/mounts.ts';
import { useApp } from '../../app/context.ts';

const mountsKey = ['mounts'] as const;

/** The mounts of this agent. Events keep the list true. */
export function useMounts() {
  const { client } = useApp();
  return useQuery({ queryKey: mountsKey, queryFn: ({ signal }) => client.call('listMounts', { signal }) });
}

/** The connections of a Team that a mount can be. None is asked for while there is no Team. */
export function useGatewayConnections(teamId: string | undefined) {
  const { client } = useApp();
  return useQuery({
    queryKey: ['gateway-connections', teamId],
    queryFn: ({ signal }) => client.call('listGatewayConnections', { params: { team_id: teamId! }, signal }),
    enabled: teamId !== undefined,
    staleTime: 0,
    retry: false,
  });
}

export function useCreateMount() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateMount) => client.call('createMount', { body }),
    onSuccess(mount) {
      absorbMount(cache, mount);
      void cache.invalidateQueries({ queryKey: ['gateway-connections', mount.team_id] });
    },
  });
}

export function useUpdateMount(id: string) {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateMount) => client.call('updateMount', { params: { id }, body }),
    onSuccess: (mount) => absorbMount(cache, mount),
  });
}

/** Does in the folder what transfers do. Its steps are the result. */
export function useCheckMount(id: string) {
  const { client } = useApp();
  return useMutation({ mutationFn: () => client.call('checkMount', { params: { id } }) });
}

export function useRemoveMount(id: string) {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => client.call('deleteMount', { params: { id } }),
    onSuccess: () => absorbRemovedMount(cache, id),
  });
}

/** Stores a mount that is new or has changed. */
export function absorbMount(cache: QueryClient, mount: Mount): void {
  changeList(cache, (before) =>
    before.some(({ id }) => id === mount.id) ? before.map((one) => (one.id === mount.id ? mount : one)) : [...before, mount],
  );
}

export function absorbRemovedMount(cache: QueryClient, mountId: string): void {
  changeList(cache, (before) => before.filter(({ id }) => id !== mountId));
}

/** An answer under way may be older than the change, so the list is then read again. */
function changeList(cache: QueryClient, change: (before: Mount[]) => Mount[]): void {
  cache.setQueryData<Mount[]>(mountsKey, (before) => before && change(before));
  if (cache.isFetching({ queryKey: mountsKey }) > 0) void cache.invalidateQueries({ queryKey: mountsKey });
}
