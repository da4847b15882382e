import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useApp } from '../../app/context.ts';
import { noSpeeds, type Speeds, withSpeed } from './speeds.ts';

/** One transfer, requested when shown and updated by events; `null` where it does not exist. */
export function useTransfer(id: string) {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  const query = useQuery<AgentTransfer | null>({
    queryKey: ['transfers', 'one', id],
    queryFn: async ({ queryKey, signal }) => {
      const cached = () => cache.getQueryState<AgentTransfer | null>(queryKey);
      const before = cached()?.dataUpdateCount ?? 0;
      const answer = await client.call('getTransfer', { params: { id }, signal }).catch((error: unknown) => {
        if (error instanceof AgentCallError && error.is('not_found')) return null;
        throw error;
      });
      // An event that arrived after the request is newer than the answer.
      const now = cached();
      return now && now.dataUpdateCount !== before && now.data !== undefined ? now.data : answer;
    },
    // Events are applied only while it is shown, so it is requested again each time.
    staleTime: 0,
  });
  useEffect(
    () =>
      feed.listen((message) => {
        if (message.type === 'reset') return;
        for (const event of message.events) {
          if ('transfer' in event && event.transfer.id === id) cache.setQueryData(['transfers', 'one', id], event.transfer);
          if (event.type === 'transfer.removed' && event.transfer_id === id) cache.setQueryData(['transfers', 'one', id], null);
        }
      }),
    [feed, cache, id],
  );
  return query;
}

/** The transfer's speed since this page was opened. */
export function useSpeeds(id: string): Speeds {
  const { feed } = useApp();
  const [speeds, setSpeeds] = useState(noSpeeds);
  useEffect(() => {
    setSpeeds(noSpeeds);
    return feed.listen((message) => {
      if (message.type === 'reset') return;
      for (const event of message.events) {
        if (!('transfer' in event) || event.transfer.id !== id || event.transfer.state !== 'transferring') continue;
        const { bytes_per_second: speed } = event.transfer;
        setSpeeds((before) => withSpeed(before, Date.now() / 1_000, speed));
      }
    });
  }, [feed, id]);
  return speeds;
}
