import { type QueryClient, useQueryClient } from '@tanstack/react-query';

/** The list that was shown last, for the way back from a single transfer. */
type ListPlace = 'transfers' | 'needs';
const key = ['transfers', 'last-list'] as const;

export function keepList(cache: QueryClient, place: ListPlace): void {
  cache.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
  cache.setQueryData<ListPlace>(key, place);
}

export const useLastList = (): ListPlace => useQueryClient().getQueryData<ListPlace>(key) ?? 'transfers';
