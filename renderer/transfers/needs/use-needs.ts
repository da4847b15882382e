import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApp } from '../../app/context.ts';
import { needsPerson } from './ways.ts';

const needsKey = ['transfers', 'needs'] as const;
/** Transfers of which it is remembered whether they needed somebody; the longest unheard of go first. */
const remembered = 1_000;
/** Milliseconds between two askings, however much happens. */
const pace = 1_000;

/** How many transfers need a person, kept up to date by events. */
export function useNeedsCount(): number {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  useEffect(() => {
    const known = new Map<string, boolean>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void cache.invalidateQueries({ queryKey: needsKey });
      }, pace);
    };
    const unlisten = feed.listen((news) => {
      if (news.type === 'again') return again();
      for (const event of news.events) {
        if (event.type === 'transfer.removed') again();
        if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') continue;
        const { transfer } = event;
        const needs = needsPerson(transfer);
        if (known.get(transfer.id) !== needs) again();
        known.delete(transfer.id);
        known.set(transfer.id, needs);
        if (known.size > remembered) known.delete(known.keys().next().value!);
      }
    });
    return () => {
      unlisten();
      clearTimeout(timer);
    };
  }, [feed, cache]);
  const { data } = useQuery({
    queryKey: needsKey,
    queryFn: ({ signal }) => client.call('summarizeTransfers', { query: { needs_person: true }, signal }),
  });
  return data?.needs_person ?? 0;
}
