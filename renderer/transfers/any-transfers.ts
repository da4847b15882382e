import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApp } from '../app/context.ts';
import { countOf } from './list/list-view.ts';

const key = ['transfers', 'any'] as const;

/** Whether there is any transfer, for views that show a list only then. */
export function useAnyTransfers(): boolean {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  const { data = false } = useQuery({
    queryKey: key,
    // Not kept up to date while unused, so it is read again each time.
    staleTime: 0,
    queryFn: async ({ signal }) => countOf('all', await client.call('summarizeTransfers', { signal })) > 0,
  });
  useEffect(
    () =>
      feed.listen((news) => {
        if (news.type === 'events' && news.events.some(({ type }) => type === 'transfer.added')) cache.setQueryData(key, true);
      }),
    [feed, cache],
  );
  return data;
}
