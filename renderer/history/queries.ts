import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useApp } from '../app/context.ts';

export interface HistoryFilter {
  readonly name: string;
  readonly kind: 'all' | AgentTransfer['kind'];
  readonly how: 'all' | 'done' | 'cancelled';
}

const historyKey = ['history'] as const;
const perPage = 100;
const statesOf = { all: ['complete', 'cancelled'], done: ['complete'], cancelled: ['cancelled'] } as const;

/** Finished transfers, newest first, one page at a time. Read again when a transfer ends. */
export function useHistory({ name, kind, how }: HistoryFilter) {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  useEffect(() => {
    let due: ReturnType<typeof setTimeout> | null = null;
    const stop = feed.listen((message) => {
      const over =
        message.type === 'events' &&
        message.events.some(
          (event) =>
            event.type === 'transfer.removed' ||
            (event.type === 'transfer.changed' && (event.transfer.state === 'complete' || event.transfer.state === 'cancelled')),
        );
      if (!over || due !== null) return;
      // Many transfers may end at once, so reading again is debounced.
      due = setTimeout(() => {
        due = null;
        void cache.invalidateQueries({ queryKey: historyKey });
      }, 500);
    });
    return () => {
      stop();
      if (due !== null) clearTimeout(due);
    };
  }, [feed, cache]);
  return useInfiniteQuery({
    queryKey: [...historyKey, name, kind, how],
    queryFn: ({ pageParam, signal }) =>
      client.call('listTransfers', {
        query: {
          state: [...statesOf[how]],
          sort: '-finished_at',
          page: pageParam,
          limit: perPage,
          ...(name ? { name } : {}),
          ...(kind === 'all' ? {} : { kind }),
        },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (pages.length * perPage < last.metadata.total ? pages.length + 1 : undefined),
    placeholderData: keepPreviousData,
    // Read again on each visit, since transfers may have ended meanwhile.
    staleTime: 0,
  });
}
