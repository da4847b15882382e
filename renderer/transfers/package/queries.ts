import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AddSentLink, SentPackage, SetSentExpiry } from '#protocol/agent/sent-package.ts';
import { useApp } from '../../app/context.ts';

/** Milliseconds between two looks while the page is in sight: the service tells of downloads when it is asked. */
const pace = 15_000;

const packageKey = (id: string) => ['sent-package', id] as const;

/** The package of an upload as its service has it now, looked at again while it is shown. */
export function useSentPackage(id: string, wanted: boolean) {
  const { client } = useApp();
  return useQuery({
    queryKey: packageKey(id),
    queryFn: ({ signal }) => client.call('getSentPackage', { params: { id }, signal }),
    enabled: wanted,
    staleTime: 0,
    retry: false,
    refetchInterval: pace,
    refetchOnWindowFocus: true,
  });
}

/** Changes of a sent package. Each shows what the service has afterwards. */
export function useSentPackageActions(id: string) {
  const { client } = useApp();
  const cache = useQueryClient();
  const params = { id };
  const onSuccess = (answer: SentPackage | undefined): void => {
    if (answer) cache.setQueryData(packageKey(id), answer);
    else void cache.invalidateQueries({ queryKey: packageKey(id) });
  };
  return {
    expiry: useMutation({ mutationFn: (body: SetSentExpiry) => client.call('setSentExpiry', { params, body }), onSuccess }),
    addLink: useMutation({ mutationFn: (body: AddSentLink) => client.call('addSentLink', { params, body }), onSuccess }),
    endLink: useMutation({
      mutationFn: async (linkId: string): Promise<undefined> => client.call('endSentLink', { params: { id, link_id: linkId } }),
      onSuccess,
    }),
    mailLink: useMutation({
      mutationFn: async (linkId: string): Promise<undefined> => client.call('mailSentLink', { params: { id, link_id: linkId } }),
      onSuccess,
    }),
    remove: useMutation({ mutationFn: async (): Promise<undefined> => client.call('deleteSentPackage', { params }), onSuccess }),
  };
}
