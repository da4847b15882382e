import { keepPreviousData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { AgentClient } from '../agent/call.ts';
import { AgentFailure } from '../agent/failure.ts';
import { useApp } from '../app/context.ts';
import { applyEvents, applyList, emptyBook, finishedStates, openStates, type TransferBook } from './book.ts';

export const transfersKey = ['transfers'] as const;
/** Finished transfers shown at first, and added by each "Show older". */
export const finishedStep = 50;
const pageLimit = 500;

/** Reads all that is open and the newest `wanted` of what is over. */
async function readLists(client: AgentClient, wanted: number, signal: AbortSignal) {
  const read = async (states: readonly AgentTransfer['state'][], sort: 'position' | '-created_at', most: number) => {
    const records: AgentTransfer[] = [];
    const limit = Math.min(pageLimit, most);
    for (let page = 1; ; page += 1) {
      const answer = await client.call('listTransfers', { query: { state: [...states], sort, limit, page }, signal });
      records.push(...answer.records);
      if (answer.records.length < limit || records.length >= Math.min(most, answer.metadata.total)) {
        return { records, total: answer.metadata.total };
      }
    }
  };
  const [open, finished] = await Promise.all([
    read(openStates, 'position', Number.MAX_SAFE_INTEGER),
    read(finishedStates, '-created_at', wanted),
  ]);
  return { records: [...open.records, ...finished.records], finishedTotal: finished.total };
}

/** The book, read once and kept up to date by events. */
export function useTransfers() {
  const { client } = useApp();
  const cache = useQueryClient();
  const wanted = useRef(finishedStep);
  const query = useQuery({
    queryKey: transfersKey,
    queryFn: async ({ signal }) => {
      const bookNow = (): TransferBook => cache.getQueryData<TransferBook>(transfersKey) ?? emptyBook;
      const askedAt = bookNow().mark;
      const list = await readLists(client, wanted.current, signal);
      return applyList(bookNow(), askedAt, list);
    },
    placeholderData: keepPreviousData,
    // The book shares nothing that could be compared cheaply: events make a new one each time.
    structuralSharing: false,
  });
  const { refetch } = query;
  const showOlder = useCallback(() => {
    wanted.current += finishedStep;
    return refetch();
  }, [refetch]);
  return { ...query, showOlder };
}

/** Puts a transfer into the book at once, before its event arrives. */
export function noteTransfer(cache: QueryClient, transfer: AgentTransfer): void {
  cache.setQueryData<TransferBook>(transfersKey, (book) =>
    book?.byId.has(transfer.id) ? book : applyEvents(book ?? emptyBook, [{ id: 1, type: 'transfer.added', transfer }]),
  );
}

/** Cancels a transfer that is not over, removes one that is. */
export function useRemoveTransfer() {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      try {
        await client.call('removeTransfer', { params: { id } });
      } catch (error) {
        // Gone already, e.g. removed in another window.
        if (!(error instanceof AgentFailure && error.is('not_found'))) throw error;
        cache.setQueryData<TransferBook>(transfersKey, (book) =>
          applyEvents(book ?? emptyBook, [{ id: 1, type: 'transfer.removed', transfer_id: id }]),
        );
      }
    },
  });
}

/** The first files of a transfer, read again while it moves. */
export function useTransferFiles(transfer: AgentTransfer, limit: number) {
  const { client } = useApp();
  return useQuery({
    queryKey: ['files', transfer.id, transfer.state],
    queryFn: ({ signal }) => client.call('listTransferFiles', { params: { id: transfer.id }, query: { page: 1, limit }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: transfer.state === 'transferring' ? 2_000 : false,
  });
}
