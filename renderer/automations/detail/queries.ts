import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ForgetEntries } from '#protocol/agent/automations/history.ts';
import type { FormValues } from '#protocol/hosted/forms.ts';
import { useApp } from '../../app/context.ts';

/** What one automation did, knows and asks. Read when it is shown, and again after its events. */

const keyOf = (id: string) => ['automation', id] as const;
/** Entries of the ledger in one request. */
const entriesPerPage = 100;
/** Milliseconds in which events are gathered before it is read again: a busy automation changes often. */
const refreshInterval = 500;

/** Reads what is shown of an automation again whenever it has changed. */
export function useRefreshOnChange(id: string): void {
  const { feed } = useApp();
  const cache = useQueryClient();
  useEffect(() => {
    let due: ReturnType<typeof setTimeout> | undefined;
    const unlisten = feed.listen((message) => {
      // After a reset everything is read again anyway.
      if (message.type === 'reset' || due !== undefined) return;
      if (!message.events.some((event) => event.type === 'automation.changed' && event.automation.id === id)) return;
      due = setTimeout(() => {
        due = undefined;
        void cache.invalidateQueries({ queryKey: keyOf(id) });
      }, refreshInterval);
    });
    return () => {
      unlisten();
      clearTimeout(due);
    };
  }, [feed, cache, id]);
}

export function useResults(id: string) {
  const { client } = useApp();
  return useQuery({
    queryKey: [...keyOf(id), 'results'],
    queryFn: ({ signal }) => client.call('listAutomationResults', { params: { id }, query: { limit: 10 }, signal }),
    staleTime: 0,
  });
}

/** What it knows as sent or received, the newest first, one page at a time. */
export function useLedger(id: string, search: string) {
  const { client } = useApp();
  return useInfiniteQuery({
    queryKey: [...keyOf(id), 'ledger', search],
    queryFn: ({ pageParam, signal }) =>
      client.call('listAutomationLedger', {
        params: { id },
        query: { limit: entriesPerPage, ...(pageParam === '' ? {} : { after: pageParam }), ...(search === '' ? {} : { search }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last, pages) => {
      const shown = pages.reduce((sum, { records }) => sum + records.length, 0);
      return shown < last.metadata.total ? last.records.at(-1)?.id : undefined;
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

export function useForget(id: string) {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: ForgetEntries) => client.call('forgetAutomationEntries', { params: { id }, body }),
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(id) }),
  });
}

export function useQuestions(id: string) {
  const { client } = useApp();
  return useQuery({
    queryKey: [...keyOf(id), 'questions'],
    queryFn: ({ signal }) => client.call('listAutomationQuestions', { params: { id }, signal }),
    staleTime: 0,
  });
}

export function useAnswer(id: string) {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ question, form }: { readonly question: string; readonly form: FormValues }) =>
      client.call('answerAutomationQuestion', { params: { id, question_id: question }, body: { form } }),
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(id) }),
  });
}
