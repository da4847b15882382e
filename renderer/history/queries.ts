import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useApp } from '../app/context.ts';

export interface HistoryFilter {
  /** A part of a name, of a recipient, of a Portal or of a file's name. */
  readonly search: string;
  readonly kind: 'all' | AgentTransfer['kind'];
  readonly how: keyof typeof statesOf;
}

const historyKey = ['history'] as const;
const perPage = 100;
const statesOf = {
  all: [],
  open: ['queued', 'transferring', 'paused', 'idle'],
  done: ['complete'],
  failed: ['error'],
  cancelled: ['cancelled'],
} as const;

/** All transfers, newest first, one page at a time. Rows follow the events; it is read again when transfers come, go or end. */
export function useHistory({ search, kind, how }: HistoryFilter) {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  useEffect(() => {
    let due: ReturnType<typeof setTimeout> | null = null;
    const stop = feed.listen((message) => {
      if (message.type !== 'events') return;
      const changed = new Map<string, AgentTransfer>();
      for (const event of message.events) if (event.type === 'transfer.changed') changed.set(event.transfer.id, event.transfer);
      if (changed.size > 0) {
        cache.setQueriesData<InfiniteData<HistoryPage>>({ queryKey: historyKey }, (data) => data && withChanged(data, changed));
      }
      const over = message.events.some(
        (event) =>
          event.type === 'transfer.removed' ||
          event.type === 'transfer.added' ||
          (event.type === 'transfer.changed' && ['complete', 'cancelled', 'error'].includes(event.transfer.state)),
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
    queryKey: [...historyKey, search, kind, how],
    queryFn: ({ pageParam, signal }) =>
      client.call('listTransfers', {
        query: {
          ...(how === 'all' ? {} : { state: [...statesOf[how]] }),
          sort: '-created_at',
          limit: perPage,
          ...(pageParam ? { after: pageParam } : {}),
          ...(search ? { search } : {}),
          ...(kind === 'all' ? {} : { kind }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next || undefined,
    placeholderData: keepPreviousData,
    // Read again on each visit, since transfers may have ended meanwhile.
    staleTime: 0,
  });
}

interface HistoryPage {
  readonly metadata: { readonly total: number };
  readonly records: readonly AgentTransfer[];
  readonly next?: string;
}

/** Pages without a changed row keep their identity. */
function withChanged(data: InfiniteData<HistoryPage>, changed: ReadonlyMap<string, AgentTransfer>): InfiniteData<HistoryPage> {
  const pages = data.pages.map((page) =>
    page.records.some(({ id }) => changed.has(id)) ? { ...page, records: page.records.map((one) => changed.get(one.id) ?? one) } : page,
  );
  return { ...data, pages };
}
