import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useApp } from '../../app/context.ts';
import { noSpeeds, type Speeds, withSpeed } from './speeds.ts';

/** One transfer, read when it is looked at and kept up to date by events; `null` where it is not on the list. */
export function useTransfer(id: string) {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  const query = useQuery<AgentTransfer | null>({
    queryKey: ['transfers', 'one', id],
    queryFn: async ({ queryKey, signal }) => {
      const told = () => cache.getQueryState<AgentTransfer | null>(queryKey);
      const before = told()?.dataUpdateCount ?? 0;
      const answer = await client.call('getTransfer', { params: { id }, signal }).catch((error: unknown) => {
        if (error instanceof AgentCallError && error.is('not_found')) return null;
        throw error;
      });
      // An answer undoes no event that came after it was asked for.
      const now = told();
      return now && now.dataUpdateCount !== before && now.data !== undefined ? now.data : answer;
    },
    // While nobody looks at it no event is heard.
    staleTime: 0,
  });
  useEffect(
    () =>
      feed.listen((news) => {
        if (news.type === 'again') return;
        for (const event of news.events) {
          if ('transfer' in event && event.transfer.id === id) cache.setQueryData(['transfers', 'one', id], event.transfer);
          if (event.type === 'transfer.removed' && event.transfer_id === id) cache.setQueryData(['transfers', 'one', id], null);
        }
      }),
    [feed, cache, id],
  );
  return query;
}

/** How fast it moves, from the moment that the page looks at it. */
export function useSpeeds(id: string): Speeds {
  const { feed } = useApp();
  const [speeds, setSpeeds] = useState(noSpeeds);
  useEffect(() => {
    setSpeeds(noSpeeds);
    return feed.listen((news) => {
      if (news.type === 'again') return;
      for (const event of news.events) {
        if (!('transfer' in event) || event.transfer.id !== id || event.transfer.state !== 'transferring') continue;
        const { bytes_per_second: speed } = event.transfer;
        setSpeeds((before) => withSpeed(before, Date.now() / 1_000, speed));
      }
    });
  }, [feed, id]);
  return speeds;
}
