import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApp } from '../../app/context.ts';
import { needsPerson } from './remedy-actions.ts';

const needsKey = ['transfers', 'needs'] as const;
/** Maximum number of remembered transfers. Beyond it the least recently changed one is forgotten. */
const remembered = 1_000;
/** Minimum milliseconds between two requests. */
const minInterval = 1_000;

/** The number of transfers that need a person. Events that may change it cause a new request. */
export function useNeedsCount(): number {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  useEffect(() => {
    const known = new Map<string, boolean>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void cache.invalidateQueries({ queryKey: needsKey });
      }, minInterval);
    };
    const unlisten = feed.listen((message) => {
      if (message.type === 'reset') return refresh();
      for (const event of message.events) {
        if (event.type === 'transfer.removed') refresh();
        if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') continue;
        const { transfer } = event;
        const needs = needsPerson(transfer);
        if (known.get(transfer.id) !== needs) refresh();
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
